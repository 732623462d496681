"""Views and editors of source."""
