"""Predictions for data of the user's own, or for a part of a run's, written to a file."""
