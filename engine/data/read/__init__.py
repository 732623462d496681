"""Readers of the user's files: bytes to values."""
