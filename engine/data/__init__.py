"""Data sources, splits, normalisation and batches. Needs torch."""
