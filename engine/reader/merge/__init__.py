"""Merging: the text of a model kept in step with its graph."""
