"""Scripts that write resources; run as modules from the root of the repository."""
