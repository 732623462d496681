"""Search for a learning rate and a batch size, by taking steps with a copy of the model."""
