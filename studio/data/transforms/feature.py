"""Feature of the Transforms page of the Data workspace."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.command.context import Context
from studio.data.page import data_page
from studio.i18n import QT_TRANSLATE_NOOP
from studio.services import Services
from studio.window.paged import in_steps


def _build(context: Context) -> Iterator[QWidget]:
    from studio.data.transforms.controller import TransformsController
    from studio.data.transforms.page import TransformsPage

    page = TransformsPage()
    yield from in_steps(page)
    TransformsController(context[Services], page)


FEATURE = data_page(
    "transforms",
    title=QT_TRANSLATE_NOOP("Data", "Transforms"),
    tip=QT_TRANSLATE_NOOP("Data", "Change the images before the model gets them, and look at it"),
    command=QT_TRANSLATE_NOOP("Action", "Transforms of the data"),
    words="augmentation torchvision flip crop resize normalize mixup cutmix color jitter",
    build=_build,
)
