"""Attention page of Inspect: where each head of a model looks in a text of the user's own."""
