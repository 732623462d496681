"""Autograd lab page."""
