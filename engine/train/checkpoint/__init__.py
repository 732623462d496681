"""Checkpoints: the file, which one is meant, and how it is put into a run."""
