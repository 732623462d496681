"""Reader: the text of a model, read as a graph and kept in step with it."""
