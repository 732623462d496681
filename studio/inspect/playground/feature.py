"""Feature of the Playground page of Inspect."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.command.context import Context
from studio.command.feature import Feature, Page
from studio.i18n import QT_TRANSLATE_NOOP
from studio.services import Services
from studio.view.command import inspect_command
from studio.window.paged import in_steps


def _build(context: Context) -> Iterator[QWidget]:
    from studio.inspect.playground.controller import PlaygroundController
    from studio.inspect.playground.page import PlaygroundPage

    services = context[Services]
    page = PlaygroundPage()
    yield from in_steps(page)
    PlaygroundController(
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
        name="playground",
        area="Inspect",
        title=QT_TRANSLATE_NOOP("Inspect", "Playground"),
        help=QT_TRANSLATE_NOOP("Inspect", "Try a trained model on input of your own"),
        build=_build,
    ),
    commands=(
        inspect_command(
            "playground",
            QT_TRANSLATE_NOOP("Action", "Playground"),
            words="try draw digit predict picture input",
        ),
    ),
)
