"""Canvas of the model and what is done on it."""
