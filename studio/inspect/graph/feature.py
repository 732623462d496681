"""Feature of the Autograd graph page of Inspect."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.command.context import Context
from studio.i18n import QT_TRANSLATE_NOOP
from studio.inspect.page import inspect_page
from studio.model.canvas.controller import ModelController
from studio.services import Services
from studio.window.paged import in_steps
from widgets.canvas.canvas import Canvas


def _build(context: Context) -> Iterator[QWidget]:
    from studio.inspect.graph.controller import AutogradController
    from studio.inspect.graph.page import GraphPage

    page = GraphPage()
    yield from in_steps(page)
    AutogradController(
        context[Services],
        page,
        canvas=context[Canvas],
        show_node=context[ModelController].show_node,
    )


FEATURE = inspect_page(
    "graph",
    title=QT_TRANSLATE_NOOP("Inspect", "Autograd graph"),
    tip=QT_TRANSLATE_NOOP("Inspect", "The graph of Functions built by a training step"),
    command=QT_TRANSLATE_NOOP("Action", "Autograd graph"),
    words="functions backward grad_fn dag",
    build=_build,
)
