"""Feature of the Autograd lab page of Inspect."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.command.context import Context
from studio.i18n import QT_TRANSLATE_NOOP
from studio.inspect.page import inspect_page
from studio.services import Services
from studio.window.paged import in_steps


def _build(context: Context) -> Iterator[QWidget]:
    from studio.inspect.lab.controller import LabController
    from studio.inspect.lab.page import LabPage

    page = LabPage()
    yield from in_steps(page)
    LabController(context[Services], page)


FEATURE = inspect_page(
    "lab",
    title=QT_TRANSLATE_NOOP("Inspect", "Lab"),
    tip=QT_TRANSLATE_NOOP("Inspect", "Type tensor code and see its tensors, graph and gradients"),
    command=QT_TRANSLATE_NOOP("Action", "Autograd lab"),
    words="tensor code lesson einsum broadcasting stride view gradient backward try learn",
    build=_build,
)
