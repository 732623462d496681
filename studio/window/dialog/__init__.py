"""Dialogs that several features share, and what dialogs are made of."""
