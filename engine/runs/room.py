"""Findings of a run that waits for room on its disk, and goes on by itself when there is some."""

WAITS_FOR_ROOM = ("P002", "R154")
"""A checkpoint, or the record, could not be written."""
