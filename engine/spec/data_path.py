"""Paths of the user's data in a specification: absolute in memory, so that every process finds the
files wherever it was started, and relative to the project in its documents where the data lies in
its folder, so that both can move together.
"""

import os
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup, ParamKind
from engine.spec.run import RunSpec


def with_absolute_paths(spec: RunSpec, folder: Path) -> RunSpec:
    """Return a specification whose paths do not depend on a folder any more."""
    return _with_paths(spec, lambda path: os.path.normpath(folder.absolute() / path))


def with_relative_paths(spec: RunSpec, folder: Path) -> RunSpec:
    """Return a specification whose paths into a folder are relative to it, with slashes."""
    base = Path(os.path.normpath(folder.absolute()))

    def relative(path: str) -> str:
        place = Path(path)
        return place.relative_to(base).as_posix() if place.is_relative_to(base) else path

    return _with_paths(spec, relative)


def _with_paths(spec: RunSpec, change: Callable[[str], str]) -> RunSpec:
    """Return a specification with other paths; the same object where there are none."""
    source = spec.data.source
    entry = catalog().entry(EntryGroup.DATA, source.type)
    names = [] if entry is None else [p.name for p in entry.params if p.kind is ParamKind.PATH]
    changed = {
        name: change(path)
        for name in names
        if isinstance(path := source.params.get(name), str) and path
    }
    if all(source.params[name] == path for name, path in changed.items()):
        return spec
    moved = replace(source, params={**source.params, **changed})
    return replace(spec, data=replace(spec.data, source=moved))
