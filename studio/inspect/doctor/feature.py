"""Doctor page as a feature: what it is called, and how it is put together."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.i18n import QT_TRANSLATE_NOOP
from studio.inspect.feature import InspectFeature, PageContext
from studio.window.paged import in_steps


def build(context: PageContext) -> Iterator[QWidget]:
    """Build the page in short steps, and its controller with it."""
    from studio.inspect.doctor.controller import DoctorController
    from studio.inspect.doctor.page import DoctorPage

    services = context.services
    page = DoctorPage()
    yield from in_steps(page)
    DoctorController(
        session=services.session,
        page=page,
        host=services.host,
        border=services.border,
        messenger=services.messenger,
        language=services.code,
        show_node=context.show_node,
        go_to=services.window.show_workspace,
    )


FEATURE = InspectFeature(
    name="doctor",
    title=QT_TRANSLATE_NOOP("Inspect", "Doctor"),
    help=QT_TRANSLATE_NOOP("Inspect", "Examine model and data before a long run, or after"),
    build=build,
)
