"""Layer statistics page."""
