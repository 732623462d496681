"""The frozen graph, its edits and its questions."""
