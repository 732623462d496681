"""Canvas: the editable drawing of a graph."""
