"""Feature of the inspector: the dock about what is selected, and how its weights begin."""

from PySide6.QtCore import Qt

from studio.command.actions import ActionSet
from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Dock, Feature
from studio.i18n import QT_TRANSLATE_NOOP
from studio.model.block.controller import BlockController
from studio.model.canvas.controller import ModelController
from studio.model.custom_code.controller import CustomCodeController
from studio.model.inspector.controller import PanelController
from studio.model.inspector.dock import Inspector
from studio.model.inspector.initialisation_controller import InitialController
from studio.model.inspector.layer_file import LayerFileController
from studio.model.menu import WEIGHTS
from studio.model.repair.controller import RepairController
from studio.model.text.controller import ModelTextController
from studio.services import Services
from studio.view.command import dock_command
from studio.view.problem import ProblemLinks
from studio.view.rule import is_model
from widgets.canvas.canvas import Canvas
from widgets.code.code_view import CodeView
from widgets.tables.problems_list import ProblemsList


def _build(context: Context) -> None:
    services, inspector, canvas = context[Services], context[Inspector], context[Canvas]
    panels = context.add(
        PanelController(
            services,
            model=context[ModelController],
            blocks=context[BlockController],
            own_code=context[CustomCodeController],
            model_text=context[ModelTextController],
            canvas=canvas,
            inspector=inspector,
            problems=context[ProblemsList],
            code=context[CodeView],
            on_selection=context[ActionSet].update,
        )
    )
    context.add(InitialController(services, inspector, canvas=canvas))
    context.add(LayerFileController(services, inspector))
    context.add(
        ProblemLinks(
            show=panels.show_problem,
            setting=panels.show_setting,
            repair=context[RepairController].repair,
        )
    )
    context.flush_requested.connect(inspector.flush)
    context.placed.connect(panels.paint)


def _show_weights(context: Context) -> None:
    context[Services].window.show_dock("inspector")
    context[InitialController].show()


def _has_weights(context: Context) -> bool:
    return is_model(context) and context[InitialController].has_weights()


def _can_begin_alike(context: Context) -> bool:
    return is_model(context) and context[InitialController].can_begin_alike()


def _can_load(context: Context) -> bool:
    return is_model(context) and context[LayerFileController].can_load()


FEATURE = Feature(
    build=_build,
    docks=(
        Dock(
            name="inspector",
            title=QT_TRANSLATE_NOOP("Window", "Inspector"),
            area=Qt.DockWidgetArea.RightDockWidgetArea,
            position=1,
            build=Inspector,
        ),
    ),
    commands=(
        dock_command(
            "inspector",
            QT_TRANSLATE_NOOP("Action", "Inspector"),
            position=1,
            words="properties panel show hide",
        ),
        Command(
            id="action.model.weights",
            title=QT_TRANSLATE_NOOP("Action", "Weight initialization"),
            keys=("Ctrl+Alt+I",),
            words="initialise initialize weight init kaiming xavier histogram values start",
            group=1,
            position=1,
            submenu=WEIGHTS,
            run=_show_weights,
            is_enabled=_has_weights,
        ),
        Command(
            id="action.model.begin_alike",
            title=QT_TRANSLATE_NOOP("Action", "Initialize all layers of this type"),
            words="initialise initialize weights init same every apply type",
            group=1,
            position=1,
            submenu=WEIGHTS,
            run=lambda context: context[InitialController].begin_alike(),
            is_enabled=_can_begin_alike,
        ),
        Command(
            id="action.model.load_layer",
            title=QT_TRANSLATE_NOOP("Action", "Load weights into this layer…"),
            words="import tensor parameter bias file safetensors state_dict single",
            group=1,
            position=1,
            submenu=WEIGHTS,
            run=lambda context: context[LayerFileController].browse(),
            is_enabled=_can_load,
        ),
    ),
)
