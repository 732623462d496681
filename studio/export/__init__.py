"""The Export workspace."""
