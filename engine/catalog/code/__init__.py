"""What a file of the user's own code offers, read from its syntax: nothing of it ever runs here."""
