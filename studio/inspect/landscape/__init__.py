"""Loss landscape and optimizer race page."""
