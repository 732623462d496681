"""Feature of the Samples page of the Data workspace."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.command.context import Context
from studio.data.page import data_page
from studio.i18n import QT_TRANSLATE_NOOP
from studio.services import Services
from studio.window.paged import in_steps


def _build(context: Context) -> Iterator[QWidget]:
    from studio.data.samples.controller import SamplesController
    from studio.data.samples.page import SamplesPage

    page = SamplesPage()
    yield from in_steps(page)
    SamplesController(context[Services], page)


FEATURE = data_page(
    "samples",
    title=QT_TRANSLATE_NOOP("Data", "Samples"),
    tip=QT_TRANSLATE_NOOP("Data", "Look at the samples of each part and at their classes"),
    command=QT_TRANSLATE_NOOP("Action", "Samples of the data"),
    words="gallery table preview class balance",
    build=_build,
)
