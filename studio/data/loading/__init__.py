"""Suggestion of the number of workers that read the data."""
