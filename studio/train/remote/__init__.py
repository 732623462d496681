"""Training on another machine."""
