"""Feature of the Playground page of Inspect."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.command.context import Context
from studio.i18n import QT_TRANSLATE_NOOP
from studio.inspect.page import inspect_page
from studio.services import Services
from studio.window.paged import in_steps


def _build(context: Context) -> Iterator[QWidget]:
    from studio.inspect.playground.controller import PlaygroundController
    from studio.inspect.playground.page import PlaygroundPage

    page = PlaygroundPage()
    yield from in_steps(page)
    PlaygroundController(context[Services], page)


FEATURE = inspect_page(
    "playground",
    title=QT_TRANSLATE_NOOP("Inspect", "Playground"),
    tip=QT_TRANSLATE_NOOP("Inspect", "Try a trained model on your own input"),
    command=QT_TRANSLATE_NOOP("Action", "Playground"),
    words="try draw digit predict picture input",
    build=_build,
)
