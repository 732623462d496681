"""Feature of the Doctor page of Inspect."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.command.context import Context
from studio.i18n import QT_TRANSLATE_NOOP
from studio.inspect.page import inspect_page
from studio.model.canvas.controller import ModelController
from studio.services import Services
from studio.window.paged import in_steps


def _build(context: Context) -> Iterator[QWidget]:
    from studio.inspect.doctor.controller import DoctorController
    from studio.inspect.doctor.page import DoctorPage

    page = DoctorPage()
    yield from in_steps(page)
    DoctorController(context[Services], page, show_node=context[ModelController].show_node)


FEATURE = inspect_page(
    "doctor",
    title=QT_TRANSLATE_NOOP("Inspect", "Doctor"),
    tip=QT_TRANSLATE_NOOP("Inspect", "Check the model and data before or after a long run"),
    command=QT_TRANSLATE_NOOP("Action", "Doctor"),
    words="check pre-flight overfit one batch dead relu leakage imbalance",
    build=_build,
)
