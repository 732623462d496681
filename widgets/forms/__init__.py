"""Reusable Qt views: forms."""
