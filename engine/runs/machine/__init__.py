"""Machines of a run: over SSH, and several together."""
