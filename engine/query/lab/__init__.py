"""Autograd lab: tensor code that is typed, run statement by statement and looked into."""
