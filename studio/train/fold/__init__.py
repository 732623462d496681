"""Repeated runs: one for each fold or seed in the queue."""
