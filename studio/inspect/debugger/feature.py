"""Debugger page as a feature: what it is called, and how it is put together."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.i18n import QT_TRANSLATE_NOOP
from studio.inspect.feature import InspectFeature, PageContext
from studio.window.paged import in_steps


def build(context: PageContext) -> Iterator[QWidget]:
    """Build the page in short steps, and its controller with it."""
    from studio.inspect.debugger.controller import DebuggerController
    from studio.inspect.debugger.page import DebuggerPage

    services = context.services
    page = DebuggerPage()
    yield from in_steps(page)
    DebuggerController(
        session=services.session,
        page=page,
        debugging=services.debugging,
        runs=services.runs,
        canvas=context.canvas,
        show_node=context.show_node,
        language=services.code,
    )


FEATURE = InspectFeature(
    name="debugger",
    title=QT_TRANSLATE_NOOP("Inspect", "Debugger"),
    help=QT_TRANSLATE_NOOP("Inspect", "Stop inside a training step, look at tensors, change them"),
    build=build,
)
