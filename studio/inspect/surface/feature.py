"""Feature of the Decision surface page of Inspect."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.command.context import Context
from studio.command.feature import Feature, Page
from studio.i18n import QT_TRANSLATE_NOOP
from studio.services import Services
from studio.view.command import inspect_command
from studio.window.paged import in_steps


def _build(context: Context) -> Iterator[QWidget]:
    from studio.inspect.surface.controller import SurfaceController
    from studio.inspect.surface.page import SurfacePage

    services = context[Services]
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


FEATURE = Feature(
    page=Page(
        name="surface",
        area="Inspect",
        title=QT_TRANSLATE_NOOP("Inspect", "Decision surface"),
        help=QT_TRANSLATE_NOOP("Inspect", "What a model answers over the plane, as it learns"),
        build=_build,
    ),
    commands=(
        inspect_command(
            "surface",
            QT_TRANSLATE_NOOP("Action", "Decision surface"),
            words="boundary plane points spiral moons playground",
        ),
    ),
)
