"""Attention: where each head of a model looks in a text of the user's own, token by token."""
