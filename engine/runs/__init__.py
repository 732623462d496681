"""Run folders: the store of events and scalars, and the state folded from them."""
