"""Composition of the program: features, services and the window, put together."""
