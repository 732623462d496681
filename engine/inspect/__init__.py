"""Observers of a training step: PyTorch's own hooks show what happens inside."""
