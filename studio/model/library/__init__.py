"""Library of the user's blocks."""
