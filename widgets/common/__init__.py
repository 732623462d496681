"""Reusable Qt views: common."""
