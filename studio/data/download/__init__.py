"""Download of the data set that is chosen."""
