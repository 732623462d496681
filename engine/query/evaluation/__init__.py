"""Evaluation: loss and metrics of a checkpoint on a part of the data."""
