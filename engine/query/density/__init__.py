"""Questions about how many samples lie where, by two of their numbers."""
