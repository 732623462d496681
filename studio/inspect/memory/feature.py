"""Memory page as a feature: what it is called, and how it is put together."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.i18n import QT_TRANSLATE_NOOP
from studio.inspect.feature import InspectFeature, PageContext
from studio.window.paged import in_steps


def build(context: PageContext) -> Iterator[QWidget]:
    """Build the page in short steps, and its controller with it."""
    from studio.inspect.memory.controller import MemoryController
    from studio.inspect.memory.page import MemoryPage

    services = context.services
    page = MemoryPage()
    yield from in_steps(page)
    MemoryController(
        session=services.session,
        page=page,
        host=services.host,
        border=services.border,
        runs=services.runs,
        machine=services.machine,
        language=services.code,
        canvas=context.canvas,
        show_node=context.show_node,
    )


FEATURE = InspectFeature(
    name="memory",
    title=QT_TRANSLATE_NOOP("Inspect", "Memory"),
    help=QT_TRANSLATE_NOOP("Inspect", "What a training step keeps in memory, layer by layer"),
    build=build,
)
