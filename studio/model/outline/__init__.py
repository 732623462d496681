"""Outline of the whole model."""
