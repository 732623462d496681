"""The command line: everything that the window does to a project, without a screen."""

from studio.cli.parser import main

__all__ = ["main"]
