"""Where the files that belong to the program lie."""

from pathlib import Path

RESOURCES = Path(__file__).parents[2] / "resources"
