"""Feature of the Landscape page of Inspect."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.command.context import Context
from studio.command.feature import Feature, Page
from studio.i18n import QT_TRANSLATE_NOOP
from studio.services import Services
from studio.view.command import inspect_command
from studio.window.paged import in_steps


def _build(context: Context) -> Iterator[QWidget]:
    from studio.inspect.landscape.controller import LandscapeController
    from studio.inspect.landscape.page import LandscapePage

    services = context[Services]
    page = LandscapePage()
    yield from in_steps(page)
    LandscapeController(
        session=services.session,
        page=page,
        runs=services.runs,
        border=services.border,
        trust=services.trust,
        messenger=services.messenger,
        go_to=services.window.show_workspace,
        language=services.code,
    )


FEATURE = Feature(
    page=Page(
        name="landscape",
        area="Inspect",
        title=QT_TRANSLATE_NOOP("Inspect", "Loss landscape"),
        help=QT_TRANSLATE_NOOP("Inspect", "The loss around the weights, and races of optimizers"),
        build=_build,
    ),
    commands=(
        inspect_command(
            "landscape",
            QT_TRANSLATE_NOOP("Action", "Loss landscape"),
            words="race optimizer sgd adam minimum valley pca directions rosenbrock visualise",
        ),
    ),
)
