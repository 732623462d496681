"""Search for a learning rate and for the largest batch."""
