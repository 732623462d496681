"""Feature of repairs: the dock with the problems, and what repairs them."""

from PySide6.QtCore import Qt

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Dock, Feature
from studio.i18n import QT_TRANSLATE_NOOP
from studio.model.repair.controller import RepairController
from studio.services import Services
from studio.view.command import dock_command
from studio.view.rule import is_model
from widgets.tables.problems_list import ProblemsList


def _build(context: Context) -> None:
    services = context[Services]
    context.add(RepairController(services, context[ProblemsList]))


FEATURE = Feature(
    build=_build,
    docks=(
        Dock(
            name="problems",
            title=QT_TRANSLATE_NOOP("Window", "Problems"),
            area=Qt.DockWidgetArea.BottomDockWidgetArea,
            position=2,
            build=lambda: ProblemsList(name="problems"),
        ),
    ),
    commands=(
        dock_command(
            "problems",
            QT_TRANSLATE_NOOP("Action", "Problems"),
            position=2,
            keys=("Ctrl+Shift+M",),
            words="errors warnings panel show hide",
        ),
        Command(
            id="action.model.fix",
            title=QT_TRANSLATE_NOOP("Action", "Fix a problem…"),
            keys=("Ctrl+.",),
            words="fix repair error quick problem shape",
            position=1,
            run=lambda context: context[RepairController].offer(),
            is_enabled=is_model,
        ),
    ),
)
