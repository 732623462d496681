"""Results of a checkpoint: predictions, scores, samples of the user's own."""
