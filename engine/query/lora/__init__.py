"""Low-rank blocks of a model: their size, their weights as a file, and merging."""
