"""Cross-validation: a run for each fold in the queue."""
