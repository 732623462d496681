"""Reusable Qt views: images."""
