"""Weights of a file, and what of them fits a model."""
