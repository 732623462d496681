"""Features of the Inspect workspace: a folder a page, announced by its ``feature.py``."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from studio.services import Services
from widgets.canvas.canvas import Canvas


@dataclass(frozen=True, kw_only=True)
class PageContext:
    """What a page works with; ``show_node`` shows the node at a path of the model."""

    services: Services
    canvas: Canvas
    show_node: Callable[[str], object]


@dataclass(frozen=True, kw_only=True)
class InspectFeature:
    """One page. ``name`` is that of its folder; ``title`` and ``help`` are sources for
    ``translate("Inspect", ...)``. ``build`` makes the page in short steps and yields it after each,
    at first empty; what the page is made of is imported only then.
    """

    name: str
    title: str
    help: str
    build: Callable[[PageContext], Iterator[QWidget]]
