"""Feature of the Profile page of Inspect."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.command.context import Context
from studio.i18n import QT_TRANSLATE_NOOP
from studio.inspect.page import inspect_page
from studio.model.canvas.controller import ModelController
from studio.services import Services
from studio.window.paged import in_steps
from widgets.canvas.canvas import Canvas


def _build(context: Context) -> Iterator[QWidget]:
    from studio.inspect.profile.controller import ProfileController
    from studio.inspect.profile.page import ProfilePage

    page = ProfilePage()
    yield from in_steps(page)
    ProfileController(
        context[Services],
        page,
        canvas=context[Canvas],
        show_node=context[ModelController].show_node,
    )


FEATURE = inspect_page(
    "profile",
    title=QT_TRANSLATE_NOOP("Inspect", "Profile"),
    tip=QT_TRANSLATE_NOOP("Inspect", "Where a training step spends its time"),
    command=QT_TRANSLATE_NOOP("Action", "Profile"),
    words="profiler time speed flops trace chrome bottleneck",
    build=_build,
)
