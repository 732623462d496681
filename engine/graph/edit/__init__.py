"""Edits: every change of a graph, as data that can be applied and undone."""
