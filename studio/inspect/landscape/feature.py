"""Feature of the Landscape page of Inspect."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.command.context import Context
from studio.i18n import QT_TRANSLATE_NOOP
from studio.inspect.page import inspect_page
from studio.services import Services
from studio.window.paged import in_steps


def _build(context: Context) -> Iterator[QWidget]:
    from studio.inspect.landscape.controller import LandscapeController
    from studio.inspect.landscape.page import LandscapePage

    page = LandscapePage()
    yield from in_steps(page)
    LandscapeController(context[Services], page)


FEATURE = inspect_page(
    "landscape",
    title=QT_TRANSLATE_NOOP("Inspect", "Loss landscape"),
    tip=QT_TRANSLATE_NOOP("Inspect", "The loss around the weights, and optimizer races"),
    command=QT_TRANSLATE_NOOP("Action", "Loss landscape"),
    words="race optimizer sgd adam minimum valley pca directions rosenbrock visualise",
    build=_build,
)
