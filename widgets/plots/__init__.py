"""Reusable Qt views: plots."""
