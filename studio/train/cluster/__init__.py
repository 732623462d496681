"""Training on several machines."""
