"""Surgery on an existing model."""
