"""What a path is that the desktop gives to the program: dropped on the window, or at its start."""

from collections.abc import Iterable
from pathlib import Path
from typing import Literal, NamedTuple

from engine.graph.node_state.initialization import WEIGHT_SUFFIXES
from engine.project.picture import SUFFIXES
from engine.spec.data_file import TENSORS, is_data_name

Kind = Literal["project", "model", "weights", "tensors", "data"]
_ORDER: tuple[Kind, ...] = ("project", "model", "weights", "tensors", "data")
_MODELS = (".py", ".pt2")
_OF_PROJECTS = (".trellis", "runs")  # in a folder that has lost its project.json


class Given(NamedTuple):
    """A path and what can be done with it: ``project`` also for a picture that may have one inside,
    ``data`` for what may be trained on, ``tensors`` for a file that may be weights or data: its
    content says which.
    """

    kind: Kind
    path: Path


def given(paths: Iterable[Path]) -> Given | None:
    """Return the first of some paths that the program can use; None for none."""
    found = [each for each in map(_judged, paths) if each is not None]
    return min(found, key=lambda each: _ORDER.index(each.kind), default=None)


def given_data(paths: Iterable[Path]) -> Path | None:
    """Return the first of some paths that may be trained on, where only data are asked for: a
    folder or a file whose ending says so; None for none.
    """
    return next((path for path in paths if path.is_dir() or _is_data(path)), None)


def is_lost_project(path: Path) -> bool:
    """Return whether a folder was a project: nobody trains on what is left of one."""
    return any((path / name).is_dir() for name in _OF_PROJECTS)


def _is_data(path: Path) -> bool:
    return is_data_name(path.name) or (path.suffix.lower() in TENSORS and path.is_file())


def _judged(path: Path) -> Given | None:
    suffix = path.suffix.lower()
    if suffix in SUFFIXES and path.is_file():
        return Given("project", path)
    for folder in (path, path.parent):
        if (folder / "project.json").is_file():
            return Given("project", folder)
    if path.is_file() and suffix in _MODELS:
        return Given("model", path)
    if path.is_file() and suffix in WEIGHT_SUFFIXES:
        return Given("tensors" if suffix in TENSORS else "weights", path)
    if path.is_dir() or is_data_name(path.name):
        return Given("data", path)
    return None
