"""Queue of runs."""
