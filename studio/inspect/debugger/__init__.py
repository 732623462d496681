"""Debugger page."""
