"""Profiler page."""
