"""Turns what widgets ask for into edits, commands and requests."""
