"""Calls of nodes in Python: one plan, written as source and carried out alike."""
