"""Export: the weights of a run, or one tensor, as a file."""
