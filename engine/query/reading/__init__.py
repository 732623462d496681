"""Reading of data: its statistics, and how fast batches of it come."""
