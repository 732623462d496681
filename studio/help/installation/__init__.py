"""Check of the installation in the window."""
