"""Welcome page."""
