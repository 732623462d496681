"""Samples page of the Data workspace."""
