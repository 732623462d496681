"""Repairs of problems."""
