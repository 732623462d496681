"""Painting of the canvas, with fast paths for near and far."""
