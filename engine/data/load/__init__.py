"""Loading of data: order of the samples, batches, workers. Needs torch."""
