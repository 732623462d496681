"""Distance between the weights of runs."""
