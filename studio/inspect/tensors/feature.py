"""Feature of the Tensors page of Inspect."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from engine.graph.block import SEPARATOR
from studio.command.command import Command
from studio.command.context import Context
from studio.i18n import QT_TRANSLATE_NOOP
from studio.inspect.page import inspect_page
from studio.services import Services
from studio.session.session import Session
from studio.view.rule import has_nodes
from studio.window.main_window import MainWindow
from studio.window.paged import in_steps
from widgets.canvas.canvas import Canvas


def _build(context: Context) -> Iterator[QWidget]:
    from studio.inspect.tensors.controller import TensorsController
    from studio.inspect.tensors.page import TensorsPage

    page = TensorsPage()
    yield from in_steps(page)
    TensorsController(context[Services], page)


def _look(context: Context) -> None:
    """Look at what the chosen node computes."""
    from studio.inspect.tensors.page import TensorsPage  # loads numpy

    window, chosen = context[MainWindow], context[Canvas].selected_nodes()
    window.show_page("inspect", "tensors")
    page = window.page("inspect").findChild(TensorsPage)
    if page is not None and chosen:
        node = SEPARATOR.join((*context[Session].path, chosen[0]))
        page.capture_requested.emit(f"activation {node}")


FEATURE = inspect_page(
    "tensors",
    title=QT_TRANSLATE_NOOP("Inspect", "Tensors"),
    tip=QT_TRANSLATE_NOOP("Inspect", "Any weight, gradient, activation or batch of the run"),
    command=QT_TRANSLATE_NOOP("Action", "Tensors"),
    words="values elements activation filters attention gradient buffer optimizer state batch",
    build=_build,
    more=(
        Command(
            id="action.inspect.look",
            title=QT_TRANSLATE_NOOP("Action", "Inspect tensor"),
            words="activation output values elements of the selected layer",
            group=1,
            run=_look,
            is_enabled=has_nodes,
        ),
    ),
)
