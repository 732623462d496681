"""Map of samples: projected to the plane, from their values or the outputs of a layer."""
