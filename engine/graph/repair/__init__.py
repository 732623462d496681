"""Repairs: edits that may solve a problem, proposed from what stands around it."""
