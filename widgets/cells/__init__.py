"""Grids of numbers: the elements of a tensor, its memory, its axes."""
