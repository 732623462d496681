"""Paths of the user's data in a specification: absolute in memory, so that every process finds the
files wherever it was started, and in its documents relative to the project where the data lies in
its folder, so that both can move together, else by a named root (:mod:`engine.spec.data_root`).
"""

import os
import re
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from engine.catalog.spec import EntryGroup, ParamKind, Value
from engine.spec.choice import NO_CODE, Code, chosen_entry
from engine.spec.data_root import Roots, by_root, known_roots, resolved, root_of
from engine.spec.run import Choice, RunSpec

_INNER = ("sheet",)
"""Settings that say which of several tables in a file is read."""


def with_absolute_paths(
    spec: RunSpec, folder: Path, code: Code = NO_CODE, roots: Roots | None = None
) -> RunSpec:
    """Return a specification whose paths do not depend on a folder any more; one whose root is not
    among ``roots`` (None: those of this computer) stays as it is. ``code`` is the user's own, which
    the data may be of.
    """

    def absolute(path: str) -> str:
        path = resolved(path, known_roots() if roots is None else roots) if root_of(path) else path
        return path if root_of(path) else os.path.normpath(folder.absolute() / path)

    return _with_paths(spec, code, absolute)


def with_relative_paths(
    spec: RunSpec, folder: Path, code: Code = NO_CODE, roots: Roots | None = None
) -> RunSpec:
    """Return a specification whose paths into a folder are relative to it, and those into a root
    (``roots`` as above) begin with its name, with slashes.
    """
    base = Path(os.path.normpath(folder.absolute()))

    def relative(path: str) -> str:
        place = Path(path)
        if place.is_relative_to(base):
            return place.relative_to(base).as_posix()
        return by_root(path, known_roots() if roots is None else roots)

    return _with_paths(spec, code, relative)


def used_roots(spec: RunSpec, code: Code = NO_CODE) -> tuple[str, ...]:
    """Return the names of the roots that the paths of a specification begin with."""
    source = spec.data.source
    paths = (source.params.get(name) for name in path_params(source, code))
    return tuple(root for path in paths if isinstance(path, str) and (root := root_of(path)))


def data_key(source: Choice, code: Code = NO_CODE) -> str:
    """Return what data is called wherever it lies: its kind, and the names of its files or folders;
    of data that is computed all settings, since with others it has other samples. ``code`` as
    above.
    """
    paths = path_params(source, code)
    if paths:
        files = [str(source.params.get(name) or "") for name in paths]
        parts = [re.split(r"[/\\]", file.rstrip("/\\"))[-1] for file in files if file]
        parts += [str(source.params[name]) for name in _INNER if source.params.get(name)]
    else:
        parts = [f"{name}={value}" for name, value in changed_params(source, code).items()]
    return ":".join([source.type, *parts])


def with_edits_of(spec: RunSpec, before: RunSpec, code: Code = NO_CODE) -> RunSpec:
    """Return a specification whose data was called otherwise ``before``, with the edits that held
    for it; ``code`` as above.
    """
    edits = spec.data.edits
    if edits.source != data_key(before.data.source, code):
        return spec
    moved = replace(edits, source=data_key(spec.data.source, code))
    return replace(spec, data=replace(spec.data, edits=moved))


def with_data_at(spec: RunSpec, other: RunSpec, code: Code = NO_CODE) -> RunSpec:
    """Return a specification whose data lies where that of another does, if it is of the same kind;
    ``code`` as above.
    """
    source, there = spec.data.source, other.data.source
    if source.type != there.type:
        return spec
    paths = {name: there.params[name] for name in path_params(source, code) if name in there.params}
    moved = replace(source, params={**source.params, **paths})
    return with_edits_of(replace(spec, data=replace(spec.data, source=moved)), spec, code)


def path_params(source: Choice, code: Code = NO_CODE) -> tuple[str, ...]:
    """Return the settings of a source that are paths; ``code`` as above."""
    entry = chosen_entry(EntryGroup.DATA, source, code)
    params = () if entry is None else entry.params
    return tuple(param.name for param in params if param.kind is ParamKind.PATH)


def reads_files(source: Choice, code: Code = NO_CODE) -> bool:
    """Return whether samples come from files that others may change; ``code`` as above."""
    return any(source.params.get(name) for name in path_params(source, code))


def changed_params(source: Choice, code: Code = NO_CODE) -> dict[str, Value]:
    """Return the settings of a source that are no paths and not the default, in order; ``code`` as
    above.
    """
    entry = chosen_entry(EntryGroup.DATA, source, code)
    defaults = {} if entry is None else {param.name: param.default for param in entry.params}
    paths = path_params(source, code)
    return {
        name: value
        for name, value in sorted(source.params.items())
        if name not in paths and (name not in defaults or value != defaults[name])
    }


def _with_paths(spec: RunSpec, code: Code, change: Callable[[str], str]) -> RunSpec:
    """Return a specification with other paths; the same object where there are none."""
    source = spec.data.source
    changed = {
        name: change(path)
        for name in path_params(source, code)
        if isinstance(path := source.params.get(name), str) and path
    }
    if all(source.params[name] == path for name, path in changed.items()):
        return spec
    moved = replace(source, params={**source.params, **changed})
    return replace(spec, data=replace(spec.data, source=moved))
