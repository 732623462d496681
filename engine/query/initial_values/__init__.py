"""Initial values: the weights that a run begins with."""
