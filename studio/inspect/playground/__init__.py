"""Playground page."""
