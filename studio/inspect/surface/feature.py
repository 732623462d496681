"""Decision surface page as a feature: what it is called, and how it is put together."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.i18n import QT_TRANSLATE_NOOP
from studio.inspect.feature import InspectFeature, PageContext
from studio.window.paged import in_steps


def build(context: PageContext) -> Iterator[QWidget]:
    """Build the page in short steps, and its controller with it."""
    from studio.inspect.surface.controller import SurfaceController
    from studio.inspect.surface.page import SurfacePage

    services = context.services
    page = SurfacePage()
    yield from in_steps(page)
    SurfaceController(
        session=services.session,
        page=page,
        runs=services.runs,
        host=services.host,
        border=services.border,
        messenger=services.messenger,
        go_to=services.window.show_workspace,
        language=services.code,
    )


FEATURE = InspectFeature(
    name="surface",
    title=QT_TRANSLATE_NOOP("Inspect", "Decision surface"),
    help=QT_TRANSLATE_NOOP("Inspect", "What a model answers over the plane, as it learns"),
    build=build,
)
