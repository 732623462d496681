"""Memory of a training step before the run, and what frozen layers save."""
