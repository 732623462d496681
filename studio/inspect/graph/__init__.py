"""Autograd graph page."""
