"""Freezing brush."""
