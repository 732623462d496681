"""A run as a Python project: a package with its commands, tests and description."""
