"""Pure functions from state to what widgets show."""
