"""Measuring which settings make a run faster."""
