"""Ranks: the processes that train one run together."""
