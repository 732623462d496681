"""Gradient check of custom code."""
