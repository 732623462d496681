"""Natural order of names: digits count as numbers, so that 2 comes before 10."""

import re

_RUNS = re.compile(r"(\d+)", re.ASCII)

NaturalKey = tuple[tuple[tuple[int, int, str], ...], str]


def natural_key(name: str) -> NaturalKey:
    """Return what names are sorted by: letters without their case, digits as numbers."""
    runs: list[tuple[int, int, str]] = []
    for run in _RUNS.split(name):
        if run.isascii() and run.isdigit():
            digits = run.lstrip("0")
            runs.append((0, len(digits), digits))
        elif run:
            runs.append((1, 0, run.casefold()))
    return tuple(runs), name
