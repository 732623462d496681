"""Health page of the Data workspace."""
