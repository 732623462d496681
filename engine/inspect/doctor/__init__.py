"""What may be wrong with a model or its training: one rule a file."""
