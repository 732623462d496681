"""Search for better settings."""
