"""Comparison of two models."""
