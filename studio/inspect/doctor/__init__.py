"""Doctor page."""
