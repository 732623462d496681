"""The log of a run and of the program."""
