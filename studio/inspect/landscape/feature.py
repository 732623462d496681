"""Landscape page as a feature: what it is called, and how it is put together."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.i18n import QT_TRANSLATE_NOOP
from studio.inspect.feature import InspectFeature, PageContext
from studio.window.paged import in_steps


def build(context: PageContext) -> Iterator[QWidget]:
    """Build the page in short steps, and its controller with it."""
    from studio.inspect.landscape.controller import LandscapeController
    from studio.inspect.landscape.page import LandscapePage

    services = context.services
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


FEATURE = InspectFeature(
    name="landscape",
    title=QT_TRANSLATE_NOOP("Inspect", "Loss landscape"),
    help=QT_TRANSLATE_NOOP("Inspect", "The loss around the weights, and races of optimizers"),
    build=build,
)
