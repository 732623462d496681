"""How the canvas is drawn: fast paths for near and far."""
