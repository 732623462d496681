"""What happens inside a training step, as PyTorch itself tells it."""
