"""Doctor: what may be wrong with a model or its training."""
