"""Loss landscape: the loss over a plane through the weights."""
