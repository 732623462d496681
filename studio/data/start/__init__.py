"""Projects that begin with data of the user."""
