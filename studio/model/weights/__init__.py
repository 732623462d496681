"""Weights from a file."""
