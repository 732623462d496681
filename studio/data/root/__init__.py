"""Folders with data, by name, on each computer."""
