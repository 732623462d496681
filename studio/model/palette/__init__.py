"""Palette of layers and operators."""
