"""Tensors page."""
