"""Frozen graph, its edits and its questions."""
