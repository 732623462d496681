"""Feature of the Forward trace page of Inspect."""

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
    from studio.inspect.trace.controller import TraceController
    from studio.inspect.trace.page import TracePage

    page = TracePage()
    yield from in_steps(page)
    TraceController(
        context[Services],
        page,
        canvas=context[Canvas],
        show_node=context[ModelController].show_node,
    )


FEATURE = inspect_page(
    "trace",
    title=QT_TRANSLATE_NOOP("Inspect", "Trace"),
    tip=QT_TRANSLATE_NOOP("Inspect", "The tensors created by each line of the forward pass"),
    command=QT_TRANSLATE_NOOP("Action", "Forward pass trace"),
    words="lines shape dtype device requires_grad snooper print sizes",
    build=_build,
)
