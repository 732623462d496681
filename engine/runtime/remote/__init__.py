"""Runs on another machine over SSH: a process here sends them there, follows them and fetches all
that they write, so that they look like any run of this machine.

``worker`` is that process; ``link`` its talk with ``station``, which runs there; ``program`` sends
this program; ``ssh`` starts the system's SSH and knows what its failures mean; ``mirror`` writes
the run's folder here.
"""
