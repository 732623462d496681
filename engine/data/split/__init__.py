"""Splits of samples into parts. Needs torch."""
