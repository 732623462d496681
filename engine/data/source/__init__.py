"""Sources of data: who has the samples, one file a kind. Needs torch."""
