"""Feature of the Memory page of Inspect."""

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
    from studio.inspect.memory.controller import MemoryController
    from studio.inspect.memory.page import MemoryPage

    page = MemoryPage()
    yield from in_steps(page)
    MemoryController(
        context[Services],
        page,
        canvas=context[Canvas],
        show_node=context[ModelController].show_node,
    )


FEATURE = inspect_page(
    "memory",
    title=QT_TRANSLATE_NOOP("Inspect", "Memory"),
    tip=QT_TRANSLATE_NOOP("Inspect", "Memory used by a training step, layer by layer"),
    command=QT_TRANSLATE_NOOP("Action", "Memory"),
    words="ram gpu bytes activations estimate x-ray",
    build=_build,
)
