"""Decision surface page."""
