"""Presenters and parts that several features share."""
