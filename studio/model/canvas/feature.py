"""Feature of the canvas: the model on it, and what is done there with selected nodes."""

from studio.command.actions import ActionSet
from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature
from studio.i18n import QT_TRANSLATE_NOOP
from studio.model.canvas.annotation import AnnotationController
from studio.model.canvas.bypass import BypassController, is_bypassed, is_muted
from studio.model.canvas.clipboard import ClipboardController
from studio.model.canvas.context_menu import fill_context_menu
from studio.model.canvas.controller import ModelController
from studio.model.canvas.find import FindController
from studio.model.canvas.first_model import FirstModelController
from studio.model.canvas.phrase import PhraseController
from studio.model.canvas.placement import PlacementController
from studio.model.canvas.selected import LOOK_COMMANDS, PLACEMENT_COMMANDS
from studio.model.workspace.page import ModelWorkspace
from studio.process.settings import SettingsStore
from studio.services import Services
from studio.session.session import Session
from studio.view.rule import has_nodes, has_selection, is_model
from widgets.canvas.canvas import Canvas

_SIGHT = QT_TRANSLATE_NOOP("Action", "Zoom, grid and minimap")


def _build(context: Context) -> None:
    services, canvas = context[Services], context[Canvas]
    model = context.add(
        ModelController(services, canvas, menu=lambda menu: fill_context_menu(context, menu))
    )
    context.add(PlacementController(services, model, canvas=canvas))
    context.add(ClipboardController(services, model, canvas=canvas))
    context.add(AnnotationController(services, model, canvas=canvas))
    context.add(PhraseController(services, model, canvas=canvas))
    context.add(FirstModelController(services, canvas))
    context.add(FindController(services, model, canvas=canvas))
    context.add(BypassController(services, model))
    _connect(context, canvas, model)


def _connect(context: Context, canvas: Canvas, model: ModelController) -> None:
    services = context[Services]
    model.node_shown.connect(context[ModelWorkspace].show_canvas)
    canvas.hint.connect(services.window.say)
    canvas.snap_changed.connect(lambda on: _keep(context, "snap", is_on=on))
    canvas.minimap_changed.connect(lambda on: _keep(context, "minimap", is_on=on))

    def take_settings() -> None:
        value = services.settings.value
        canvas.set_snap(on=value.snap)
        canvas.set_minimap_shown(on=value.minimap)

    context.settings_changed.connect(take_settings)


def _keep(context: Context, name: str, *, is_on: bool) -> None:
    """Remember what was switched on the canvas."""
    settings = context[SettingsStore]
    if getattr(settings.value, name) != is_on:
        settings.change(**{name: is_on})
        context[ActionSet].update()


def _switch(context: Context, name: str) -> None:
    settings = context[SettingsStore]
    settings.change(**{name: not getattr(settings.value, name)})
    context.settings_changed.emit()


def _export_picture(context: Context) -> None:
    from studio.model.canvas.picture import PictureController

    services, model, canvas = context[Services], context[ModelController], context[Canvas]
    controller = context.once(
        PictureController, lambda: PictureController(services, model, canvas=canvas)
    )
    controller.ask_save()


_EDIT = (
    Command(
        id="action.edit.cut",
        title=QT_TRANSLATE_NOOP("Action", "Cut"),
        keys=("Ctrl+X",),
        group=1,
        run=lambda context: context[ClipboardController].cut(),
        is_enabled=has_selection,
    ),
    Command(
        id="action.edit.copy",
        title=QT_TRANSLATE_NOOP("Action", "Copy"),
        keys=("Ctrl+C",),
        group=1,
        run=lambda context: context[ClipboardController].copy(),
        is_enabled=has_selection,
    ),
    Command(
        id="action.edit.paste",
        title=QT_TRANSLATE_NOOP("Action", "Paste"),
        keys=("Ctrl+V",),
        group=1,
        run=lambda context: context[ClipboardController].paste(),
        is_enabled=is_model,
    ),
    Command(
        id="action.edit.duplicate",
        title=QT_TRANSLATE_NOOP("Action", "Duplicate"),
        keys=("Ctrl+D",),
        group=1,
        run=lambda context: context[ClipboardController].duplicate(),
        is_enabled=has_selection,
    ),
    Command(
        id="action.edit.delete",
        title=QT_TRANSLATE_NOOP("Action", "Delete"),
        keys=("Del",),
        words="remove",
        group=1,
        run=lambda context: context[ModelController].delete(),
        is_enabled=has_selection,
    ),
    Command(
        id="action.edit.select_all",
        title=QT_TRANSLATE_NOOP("Action", "Select all"),
        keys=("Ctrl+A",),
        group=2,
        run=lambda context: context[ModelController].select_all(),
        is_enabled=is_model,
    ),
    Command(
        id="action.file.export_picture",
        title=QT_TRANSLATE_NOOP("Action", "Export image…"),
        keys=("Ctrl+Shift+E",),
        words="canvas model graph png svg pdf image save draw",
        group=2,
        run=_export_picture,
        is_enabled=is_model,
    ),
)

_NODES = (
    Command(
        id="action.model.add",
        title=QT_TRANSLATE_NOOP("Action", "Add layer…"),
        keys=("Ctrl+Space",),
        words="insert node search operator",
        run=lambda context: context[Canvas].open_search(),
        is_enabled=is_model,
    ),
    Command(
        id="action.model.phrase",
        title=QT_TRANSLATE_NOOP("Action", "Add layers by typing…"),
        keys=("Ctrl+T",),
        words="build text chain phrase grow sequence",
        run=lambda context: context[Canvas].open_phrase(),
        is_enabled=is_model,
    ),
    Command(
        id="action.model.find",
        title=QT_TRANSLATE_NOOP("Action", "Find on canvas…"),
        keys=("Ctrl+F",),
        words="search node layer name type shape",
        run=lambda context: context[FindController].ask(),
        is_enabled=is_model,
    ),
    Command(
        id="action.model.rename",
        title=QT_TRANSLATE_NOOP("Action", "Rename layer"),
        keys=("F2",),
        words="name node",
        run=lambda context: context[Canvas].begin_rename(),
        is_enabled=has_selection,
    ),
    Command(
        id="action.model.arrange",
        title=QT_TRANSLATE_NOOP("Action", "Arrange"),
        keys=("Ctrl+L",),
        words="layout automatic align",
        group=2,
        run=lambda context: context[ModelController].arrange(),
        is_enabled=is_model,
    ),
    Command(
        id="action.model.bypass",
        title=QT_TRANSLATE_NOOP("Action", "Bypass layer"),
        keys=("Ctrl+B",),
        words="bypass disable switch off without",
        group=2,
        run=lambda context: context[BypassController].toggle(),
        is_enabled=has_nodes,
        is_checked=lambda context: is_bypassed(context[Session]),
    ),
    Command(
        id="action.model.mute",
        title=QT_TRANSLATE_NOOP("Action", "Mute layer (output zeros)"),
        keys=("Ctrl+M",),
        words="ablation silence zero disable switch off",
        group=2,
        run=lambda context: context[BypassController].toggle_mute(),
        is_enabled=has_nodes,
        is_checked=lambda context: is_muted(context[Session]),
    ),
)

_SIGHT_COMMANDS = (
    Command(
        id="action.model.fit",
        title=QT_TRANSLATE_NOOP("Action", "Zoom to fit"),
        keys=("Ctrl+0",),
        words="zoom all",
        group=3,
        submenu=_SIGHT,
        run=lambda context: context[Canvas].fit(),
        is_enabled=is_model,
    ),
    Command(
        id="action.model.zoom_selection",
        title=QT_TRANSLATE_NOOP("Action", "Zoom to selection"),
        keys=("Ctrl+Shift+0",),
        words="near frame",
        group=3,
        submenu=_SIGHT,
        run=lambda context: context[Canvas].zoom_to_selection(),
        is_enabled=has_selection,
    ),
    Command(
        id="action.model.zoom_in",
        title=QT_TRANSLATE_NOOP("Action", "Zoom in"),
        keys=(
            "Ctrl++",
            "Ctrl+=",
        ),
        group=3,
        submenu=_SIGHT,
        run=lambda context: context[Canvas].zoom_in(),
        is_enabled=is_model,
    ),
    Command(
        id="action.model.zoom_out",
        title=QT_TRANSLATE_NOOP("Action", "Zoom out"),
        keys=("Ctrl+-",),
        group=3,
        submenu=_SIGHT,
        run=lambda context: context[Canvas].zoom_out(),
        is_enabled=is_model,
    ),
    Command(
        id="action.model.snap",
        title=QT_TRANSLATE_NOOP("Action", "Snap to grid"),
        words="align magnet",
        group=3,
        submenu=_SIGHT,
        run=lambda context: _switch(context, "snap"),
        is_checked=lambda context: context[SettingsStore].value.snap,
    ),
    Command(
        id="action.model.minimap",
        title=QT_TRANSLATE_NOOP("Action", "Minimap"),
        words="overview",
        group=3,
        submenu=_SIGHT,
        run=lambda context: _switch(context, "minimap"),
        is_checked=lambda context: context[SettingsStore].value.minimap,
    ),
)

FEATURE = Feature(
    build=_build,
    commands=_EDIT + _NODES + LOOK_COMMANDS + PLACEMENT_COMMANDS + _SIGHT_COMMANDS,
)
