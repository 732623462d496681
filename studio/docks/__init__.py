"""The panels around the workspace."""
