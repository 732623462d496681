"""Changes of a run while it goes on."""
