"""Reusable Qt views: tables."""
