"""Custom code of the user."""
