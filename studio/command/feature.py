"""Features: what a folder contributes to the window, announced in its ``feature.py``."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from studio.command.command import Command
from studio.command.context import Context


@dataclass(frozen=True, kw_only=True)
class Page:
    """A workspace, or a page of one. ``title`` and ``help`` are sources for ``translate(area)``.
    ``build`` makes the page in short steps and yields it after each, at first empty; what the page
    is made of is imported only then.
    """

    name: str
    area: str
    title: str
    help: str
    build: Callable[[Context], Iterator[QWidget]]


@dataclass(frozen=True, kw_only=True)
class Dock:
    """A dock, the workspaces beside which it makes sense, and where it comes among the others.
    ``title`` is a source for ``translate("Window")``.
    """

    name: str
    title: str
    area: Qt.DockWidgetArea
    position: int
    build: Callable[[], QWidget]
    workspaces: frozenset[str] = frozenset({"model"})


@dataclass(frozen=True, kw_only=True)
class Feature:
    """What a folder contributes. ``build`` adds controllers to the context, when all docks and the
    parts of the features before it are there.
    """

    commands: tuple[Command, ...] = ()
    docks: tuple[Dock, ...] = ()
    workspace: Page | None = None
    page: Page | None = None  # of Inspect or Runs: by the folder that it lies in
    build: Callable[[Context], object] | None = None


def features_in(package: str, names: tuple[str, ...]) -> tuple[Feature, ...]:
    """Return the features of folders of a package."""
    return tuple(import_module(f"{package}.{name}.feature").FEATURE for name in names)
