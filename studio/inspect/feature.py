"""Feature of the Inspect workspace, which holds the pages of the folders in ``PAGES``."""

from collections.abc import Iterator
from concurrent.futures import Future

from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from studio.command.context import Context
from studio.command.feature import Feature, Page, features_in
from studio.i18n import QT_TRANSLATE_NOOP
from studio.process.apart import import_plotting
from studio.services import Services
from studio.view.command import workspace_command
from studio.window.paged import add_pages
from widgets.canvas.canvas import Canvas

PAGES = (
    "graph",
    "layers",
    "tensors",
    "debugger",
    "memory",
    "profile",
    "trace",
    "lab",
    "results",
    "playground",
    "attention",
    "surface",
    "landscape",
    "doctor",
)


def _build(context: Context) -> Iterator[QWidget]:
    from studio.inspect.playground.picture_drop import PictureDrop
    from studio.inspect.workspace import InspectWorkspace

    services = context[Services]
    page = InspectWorkspace()
    yield page
    PictureDrop(services, page, context[Canvas])
    for _ in add_pages(page, features_in("studio.inspect", PAGES), context):
        yield page

    def build_rest(imported: "Future[None]") -> None:
        imported.result()
        page.build_rest()

    def follow_debugger() -> None:
        is_used = services.debugging.points or services.debugging.stop is not None
        if is_used and isValid(page):  # a change of language makes another
            page.build_page("debugger")  # it marks the canvas too

    handover = services.handover.of(page)
    page.visited.connect(lambda: import_plotting(page, handover, build_rest))
    services.session.run_changed.connect(follow_debugger)
    services.debugging.changed.connect(follow_debugger)


FEATURE = Feature(
    workspace=Page(
        name="inspect",
        area="Window",
        title=QT_TRANSLATE_NOOP("Window", "Inspect"),
        help=QT_TRANSLATE_NOOP("Window", "Look inside a training step (Ctrl+4)"),
        build=_build,
    ),
    commands=(
        workspace_command(
            "inspect",
            QT_TRANSLATE_NOOP("Action", "Inspect workspace"),
            keys="Ctrl+4",
            words="autograd graph gradients backward functions",
        ),
    ),
)
