"""Trace of a forward pass, line by line."""
