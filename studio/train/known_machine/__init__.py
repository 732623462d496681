"""Known machines."""
