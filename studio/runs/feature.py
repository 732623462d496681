"""Feature of the Runs workspace, which holds the pages of the folders in ``PAGES``."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.command.context import Context
from studio.command.feature import Feature, Page, features_in
from studio.i18n import QT_TRANSLATE_NOOP, translate
from studio.view.command import workspace_command
from studio.window.paged import PagedWorkspace, add_pages

PAGES = ("table", "search", "queue", "projects")


def _build(context: Context) -> Iterator[QWidget]:
    page = PagedWorkspace(
        "runs", translate("Runs", "Runs workspace"), translate("Runs", "Runs pages")
    )
    yield page
    for _ in add_pages(page, features_in("studio.runs", PAGES), context):
        yield page
    for _ in page.build_first():
        yield page


FEATURE = Feature(
    workspace=Page(
        name="runs",
        area="Window",
        title=QT_TRANSLATE_NOOP("Window", "Runs"),
        help=QT_TRANSLATE_NOOP("Window", "Compare runs and resume from checkpoints (Ctrl+5)"),
        build=_build,
    ),
    commands=(
        workspace_command(
            "runs",
            QT_TRANSLATE_NOOP("Action", "Runs workspace"),
            keys="Ctrl+5",
            words="compare checkpoints history",
        ),
    ),
)
