"""Listing: what ``print(model)`` and ``named_parameters()`` tell."""
