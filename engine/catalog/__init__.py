"""Catalogue: everything that can be put on the canvas or chosen in a form, described as data."""
