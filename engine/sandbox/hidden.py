"""Finder that hides installed packages from a process."""

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

from typing_extensions import override


def hide(name: str) -> None:
    """Have a package be as if it were not installed, where it is not imported yet."""
    sys.meta_path.insert(0, _Hidden(name))


class _Hidden(MetaPathFinder):
    def __init__(self, name: str) -> None:
        self._name = name

    @override
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname == self._name:
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)
        return None
