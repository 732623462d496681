"""The text of the model, read as a graph and kept in step with it."""
