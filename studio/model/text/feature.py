"""Feature of the code of the model: the dock, and what is done with the text."""

from PySide6.QtCore import Qt

from engine.graph.code import TEXT_FILES
from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Dock, Feature
from studio.i18n import QT_TRANSLATE_NOOP
from studio.model.text.controller import ModelTextController
from studio.model.text.export import CodeController
from studio.services import Services
from studio.session.session import Session
from studio.view.command import dock_command
from studio.view.rule import has_project
from widgets.code.code_view import CodeView


def _build(context: Context) -> None:
    services, view = context[Services], context[CodeView]
    controller = context.add(ModelTextController(services, view))
    context.add(CodeController(services, view))
    context.flush_requested.connect(controller.flush)
    context.placed.connect(controller.paint)


def _has_own_text(context: Context) -> bool:
    return bool(context[Session].graph.code.keys() & set(TEXT_FILES))


FEATURE = Feature(
    build=_build,
    docks=(
        Dock(
            name="code",
            title=QT_TRANSLATE_NOOP("Window", "Code"),
            area=Qt.DockWidgetArea.BottomDockWidgetArea,
            position=4,
            build=lambda: CodeView(name="code"),
        ),
    ),
    commands=(
        dock_command(
            "code",
            QT_TRANSLATE_NOOP("Action", "Model code"),
            position=4,
            words="source python panel show hide",
        ),
        Command(
            id="action.model.copy_code",
            title=QT_TRANSLATE_NOOP("Action", "Copy model code"),
            keys=("Ctrl+Shift+C",),
            words="python source class clipboard",
            group=4,
            run=lambda context: context[CodeController].copy(),
            is_enabled=has_project,
        ),
        Command(
            id="action.model.save_code",
            title=QT_TRANSLATE_NOOP("Action", "Save model code as…"),
            words="python source class file write export",
            group=4,
            run=lambda context: context[CodeController].ask_save(),
            is_enabled=has_project,
        ),
        Command(
            id="action.code.rewrite",
            title=QT_TRANSLATE_NOOP("Action", "Regenerate model code"),
            words="regenerate generate python text reset source canvas",
            group=2,
            position=1,
            run=lambda context: context[ModelTextController].rewrite(),
            is_enabled=_has_own_text,
        ),
    ),
)
