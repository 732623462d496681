"""Forward trace page."""
