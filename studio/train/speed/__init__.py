"""Measurement of settings that make a run faster."""
