"""Recomputing activations of chosen nodes in the backward pass."""
