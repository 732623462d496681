"""Profiler page as a feature: what it is called, and how it is put together."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.i18n import QT_TRANSLATE_NOOP
from studio.inspect.feature import InspectFeature, PageContext
from studio.window.paged import in_steps


def build(context: PageContext) -> Iterator[QWidget]:
    """Build the page in short steps, and its controller with it."""
    from studio.inspect.profile.controller import ProfileController
    from studio.inspect.profile.page import ProfilePage

    services = context.services
    page = ProfilePage()
    yield from in_steps(page)
    ProfileController(
        session=services.session,
        page=page,
        border=services.border,
        runs=services.runs,
        messenger=services.messenger,
        canvas=context.canvas,
        show_node=context.show_node,
    )


FEATURE = InspectFeature(
    name="profile",
    title=QT_TRANSLATE_NOOP("Inspect", "Profile"),
    help=QT_TRANSLATE_NOOP("Inspect", "What takes how long in a training step"),
    build=build,
)
