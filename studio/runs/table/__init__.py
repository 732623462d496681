"""Table of runs."""
