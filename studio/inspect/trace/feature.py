"""Forward trace page as a feature: what it is called, and how it is put together."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.i18n import QT_TRANSLATE_NOOP
from studio.inspect.feature import InspectFeature, PageContext
from studio.window.paged import in_steps


def build(context: PageContext) -> Iterator[QWidget]:
    """Build the page in short steps, and its controller with it."""
    from studio.inspect.trace.controller import TraceController
    from studio.inspect.trace.page import TracePage

    services = context.services
    page = TracePage()
    yield from in_steps(page)
    TraceController(
        session=services.session,
        page=page,
        host=services.host,
        border=services.border,
        language=services.code,
        canvas=context.canvas,
        show_node=context.show_node,
    )


FEATURE = InspectFeature(
    name="trace",
    title=QT_TRANSLATE_NOOP("Inspect", "Trace"),
    help=QT_TRANSLATE_NOOP("Inspect", "Which tensors each line of the forward pass makes"),
    build=build,
)
