"""Processes of a run: how a worker is started, and which one trains the run."""
