"""Samples as rows that can be sorted, searched and looked at."""
