"""Learning-rate curve of a specification before the run."""
