"""Watching a run: what it is asked to look at while it trains, and the debugger."""
