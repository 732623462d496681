"""Readers of files: bytes of users to values."""
