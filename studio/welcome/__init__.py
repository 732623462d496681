"""The page before a project is open."""
