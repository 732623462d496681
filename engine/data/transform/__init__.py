"""Transforms of samples and of batches, with random numbers that follow from the run's seed."""
