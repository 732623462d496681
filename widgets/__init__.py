"""Reusable Qt views that know their own frozen view models and nothing of torch or engine."""
