"""Text of the model."""
