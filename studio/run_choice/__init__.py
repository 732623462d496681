"""Choice of a run and one of its checkpoints, the head of several pages."""
