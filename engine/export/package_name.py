"""Name of a Python package, from that of a file."""

import re


def package_name(stem: str) -> str:
    """Return a name that Python imports."""
    name = re.sub(r"\W+", "_", stem, flags=re.ASCII).strip("_").lower() or "model"
    return name if name.isidentifier() and not name[0].isdigit() else f"model_{name}"
