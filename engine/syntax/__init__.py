"""How the call of a node reads in Python: one plan, written as source and carried out alike."""
