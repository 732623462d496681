"""Data: its description and some samples."""
