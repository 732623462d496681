"""Very many rows as a gallery and as a table, of which only those in view are there."""
