"""The Data workspace."""
