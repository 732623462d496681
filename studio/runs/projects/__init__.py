"""Runs of other projects."""
