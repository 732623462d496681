"""Feature of the Decision surface page of Inspect."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.command.context import Context
from studio.i18n import QT_TRANSLATE_NOOP
from studio.inspect.page import inspect_page
from studio.services import Services
from studio.window.paged import in_steps


def _build(context: Context) -> Iterator[QWidget]:
    from studio.inspect.surface.controller import SurfaceController
    from studio.inspect.surface.page import SurfacePage

    page = SurfacePage()
    yield from in_steps(page)
    SurfaceController(context[Services], page)


FEATURE = inspect_page(
    "surface",
    title=QT_TRANSLATE_NOOP("Inspect", "Decision surface"),
    tip=QT_TRANSLATE_NOOP("Inspect", "Predictions of a model over the plane during training"),
    command=QT_TRANSLATE_NOOP("Action", "Decision surface"),
    words="boundary plane points spiral moons playground",
    build=_build,
)
