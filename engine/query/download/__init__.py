"""Download of a published data set."""
