"""Reading: the classes of a model's text as a graph."""
