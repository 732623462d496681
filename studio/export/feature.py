"""Feature of the Export workspace: weights and code are taken away."""

from collections.abc import Iterator
from functools import partial

from PySide6.QtWidgets import QWidget

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature, Page
from studio.export.service.feature import service
from studio.i18n import QT_TRANSLATE_NOOP
from studio.services import Services
from studio.view.command import workspace_command
from studio.view.rule import has_project
from studio.window.paged import in_steps
from studio.window.splitters import keep_splitters


def _build(context: Context) -> Iterator[QWidget]:
    from engine.runtime.export_formats import export_formats
    from studio.export.comparison import ComparisonController
    from studio.export.controller import ExportController
    from studio.export.page import ExportWorkspace
    from studio.view.export import present_formats

    services = context[Services]
    page = ExportWorkspace(present_formats(export_formats()))
    yield from in_steps(page)
    ExportController(services, page)
    ComparisonController(services, page)
    page.serve_requested.connect(partial(_serve, context))
    keep_splitters(page, services.settings)


def _serve(context: Context) -> None:
    service(context).show()


def _compare(context: Context) -> None:
    from studio.export.page import ExportWorkspace

    window = context[Services].window
    window.show_workspace("export")
    page = window.page("export")
    assert isinstance(page, ExportWorkspace)
    page.compare_requested.emit()


FEATURE = Feature(
    workspace=Page(
        name="export",
        area="Window",
        title=QT_TRANSLATE_NOOP("Window", "Export"),
        help=QT_TRANSLATE_NOOP("Window", "Export weights and code (Ctrl+6)"),
        build=_build,
    ),
    commands=(
        workspace_command(
            "export",
            QT_TRANSLATE_NOOP("Action", "Export workspace"),
            keys="Ctrl+6",
            words="weights code safetensors",
        ),
        Command(
            id="action.file.compare",
            title=QT_TRANSLATE_NOOP("Action", "Compare weights file…"),
            words="checkpoint load state_dict keys safetensors differ",
            group=1,
            run=_compare,
            is_enabled=has_project,
        ),
    ),
)
