"""Optimizer race: optimizers side by side."""
