"""Data of the user's own code: Dataset, IterableDataset, collate_fn, Sampler, data modules."""
