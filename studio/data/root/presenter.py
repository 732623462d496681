"""Presenter of the folders with data of a computer."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from engine.spec.data_root import Roots
from studio.i18n import translate


@dataclass(frozen=True, kw_only=True)
class RootRow:
    """One folder: its name in projects, where it is, and whether it is there (empty: yes, or it is
    on another machine and nobody looked).
    """

    name: str
    path: str
    state: str = ""


def present_roots(roots: Roots, *, is_here: bool) -> tuple[RootRow, ...]:
    """Return a line for each folder."""
    missing = translate("DataRoots", "not there")
    return tuple(
        RootRow(
            name=name,
            path=path,
            state=missing if is_here and not Path(path).expanduser().exists() else "",
        )
        for name, path in roots.items()
    )


def present_machines(machines: Iterable[str]) -> list[tuple[str, str]]:
    """Return the computers to choose from, as keys and texts; the first is this one."""
    known = [(machine, machine) for machine in machines]
    return [("", translate("DataRoots", "This computer")), *known]


def free_name(path: str, taken: Iterable[str]) -> str:
    """Return a name for a folder that none of those there are has."""
    letters = "".join(letter if letter.isalnum() or letter in "_-" else "_" for letter in path)
    stem = (letters.strip("_-").lstrip("0123456789_-") or "data")[:30]
    names, number, name = set(taken), 1, stem
    while name in names:
        number += 1
        name = f"{stem}-{number}"
    return name
