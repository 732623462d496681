"""Text of a model, piece by piece: names changed, single statements written."""
