"""Machine: what it has for computing."""
