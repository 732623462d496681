"""Reusable Qt views: code."""
