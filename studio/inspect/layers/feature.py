"""Layer statistics page as a feature: what it is called, and how it is put together."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.i18n import QT_TRANSLATE_NOOP
from studio.inspect.feature import InspectFeature, PageContext
from studio.window.paged import in_steps


def build(context: PageContext) -> Iterator[QWidget]:
    """Build the page in short steps, and its controller with it."""
    from studio.inspect.layers.controller import LayersController
    from studio.inspect.layers.page import LayersPage

    services = context.services
    page = LayersPage()
    yield from in_steps(page)
    LayersController(
        session=services.session,
        page=page,
        runs=services.runs,
        border=services.border,
        messenger=services.messenger,
        canvas=context.canvas,
        go_to=services.window.show_workspace,
    )


FEATURE = InspectFeature(
    name="layers",
    title=QT_TRANSLATE_NOOP("Inspect", "Layers"),
    help=QT_TRANSLATE_NOOP("Inspect", "How weights, gradients and activations develop, by layer"),
    build=build,
)
