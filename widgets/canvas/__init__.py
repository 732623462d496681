"""Reusable Qt views: canvas."""
