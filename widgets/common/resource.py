"""Folder of the files that belong to the program."""

from pathlib import Path

RESOURCES = Path(__file__).parents[2] / "resources"
