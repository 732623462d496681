"""Outlining: pieces of a model's text that become custom functions and layers."""
