"""Predictions for files of the user's own, from the window."""
