"""Autograd lab page as a feature: what it is called, and how it is put together."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.i18n import QT_TRANSLATE_NOOP
from studio.inspect.feature import InspectFeature, PageContext
from studio.window.paged import in_steps


def build(context: PageContext) -> Iterator[QWidget]:
    """Build the page in short steps, and its controller with it."""
    from studio.inspect.lab.controller import LabController
    from studio.inspect.lab.page import LabPage

    services = context.services
    page = LabPage()
    yield from in_steps(page)
    LabController(
        page=page,
        lab=services.lab,
        border=services.border,
        messenger=services.messenger,
        language=services.code,
    )


FEATURE = InspectFeature(
    name="lab",
    title=QT_TRANSLATE_NOOP("Inspect", "Lab"),
    help=QT_TRANSLATE_NOOP("Inspect", "Type tensor code, see its tensors, graph and gradients"),
    build=build,
)
