"""Map page of the Data workspace."""
