"""Transforms page of the Data workspace."""
