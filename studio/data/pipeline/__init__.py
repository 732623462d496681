"""Picture of the way from the files to the model."""
