"""Gradient check: a backward pass against finite differences."""
