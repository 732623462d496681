"""Feature of the Autograd lab page of Inspect."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.command.context import Context
from studio.command.feature import Feature, Page
from studio.i18n import QT_TRANSLATE_NOOP
from studio.services import Services
from studio.view.command import inspect_command
from studio.window.paged import in_steps


def _build(context: Context) -> Iterator[QWidget]:
    from studio.inspect.lab.controller import LabController
    from studio.inspect.lab.page import LabPage

    services = context[Services]
    page = LabPage()
    yield from in_steps(page)
    LabController(
        page=page,
        lab=services.lab,
        border=services.border,
        messenger=services.messenger,
        language=services.code,
    )


FEATURE = Feature(
    page=Page(
        name="lab",
        area="Inspect",
        title=QT_TRANSLATE_NOOP("Inspect", "Lab"),
        help=QT_TRANSLATE_NOOP("Inspect", "Type tensor code, see its tensors, graph and gradients"),
        build=_build,
    ),
    commands=(
        inspect_command(
            "lab",
            QT_TRANSLATE_NOOP("Action", "Autograd lab"),
            words="tensor code lesson einsum broadcasting stride view gradient backward try learn",
        ),
    ),
)
