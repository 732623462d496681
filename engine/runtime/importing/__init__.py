"""Models from elsewhere, imported by a process of its own."""
