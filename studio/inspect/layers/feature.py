"""Feature of the Layer statistics page of Inspect."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.command.context import Context
from studio.i18n import QT_TRANSLATE_NOOP
from studio.inspect.layers.last_run import LastRunController
from studio.inspect.page import inspect_page
from studio.model.inspector.dock import Inspector
from studio.services import Services
from studio.window.paged import in_steps
from widgets.canvas.canvas import Canvas


def _build_last_run(context: Context) -> None:
    context.add(LastRunController(context[Services], context[Inspector], context[Canvas]))


def _build(context: Context) -> Iterator[QWidget]:
    from studio.inspect.layers.controller import LayersController
    from studio.inspect.layers.page import LayersPage

    page = LayersPage()
    yield from in_steps(page)
    LayersController(context[Services], page, canvas=context[Canvas])


FEATURE = inspect_page(
    "layers",
    title=QT_TRANSLATE_NOOP("Inspect", "Layers"),
    tip=QT_TRANSLATE_NOOP("Inspect", "Weights, gradients and activations by layer over time"),
    command=QT_TRANSLATE_NOOP("Action", "Layers"),
    words="statistics histograms weights gradients activations dead units vanishing exploding",
    build=_build,
    build_beside=_build_last_run,
)
