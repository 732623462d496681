"""Import of a model."""
