"""Commands for what is selected on the canvas: its look, its position, and selecting more."""

from engine.graph.layout.aligning import Line
from studio.command.command import Command
from studio.command.context import Context
from studio.i18n import QT_TRANSLATE_NOOP
from studio.model.canvas.annotation import AnnotationController, is_collapsed
from studio.model.canvas.controller import ModelController, is_pinned
from studio.model.canvas.placement import PlacementController
from studio.session.session import Session
from studio.view.rule import has_nodes, has_nodes_to_join, has_selection, is_model

_ALIGN = QT_TRANSLATE_NOOP("Action", "Align and distribute")
_SELECT = QT_TRANSLATE_NOOP("Action", "Select more")


def _color(name: str, title: str) -> Command:
    return Command(
        id=f"action.model.color_{name or 'none'}",
        title=title,
        words="colour color paint mark node frame note",
        group=2,
        submenu=QT_TRANSLATE_NOOP("Action", "Color"),
        run=lambda context: context[AnnotationController].paint(name),
        is_enabled=has_selection,
    )


def _align(line: Line, title: str, keys: str, words: str) -> Command:
    return Command(
        id=f"action.model.align_{line}",
        title=title,
        keys=(keys,),
        words=words,
        group=2,
        submenu=_ALIGN,
        run=lambda context: context[PlacementController].align(line),
        is_enabled=has_nodes_to_join,
    )


def _are_three(context: Context) -> bool:
    return is_model(context) and len(context[Session].selection) > 2


LOOK_COMMANDS = (
    Command(
        id="action.model.frame",
        title=QT_TRANSLATE_NOOP("Action", "Frame selection"),
        keys=("Ctrl+J",),
        words="comment box border title section group area",
        group=2,
        run=lambda context: context[AnnotationController].add_frame(),
        is_enabled=is_model,
    ),
    Command(
        id="action.model.note",
        title=QT_TRANSLATE_NOOP("Action", "Add note"),
        keys=("Ctrl+Alt+N",),
        words="comment text remark sticky",
        group=2,
        run=lambda context: context[AnnotationController].add_note(),
        is_enabled=is_model,
    ),
    Command(
        id="action.model.collapse",
        title=QT_TRANSLATE_NOOP("Action", "Collapse to title"),
        keys=("Ctrl+Alt+J",),
        words="collapse minimize fold small expand",
        group=2,
        run=lambda context: context[AnnotationController].toggle_collapse(),
        is_enabled=has_nodes,
        is_checked=lambda context: is_collapsed(context[Session]),
    ),
    _color("", QT_TRANSLATE_NOOP("Action", "No color")),
    _color("red", QT_TRANSLATE_NOOP("Action", "Red")),
    _color("orange", QT_TRANSLATE_NOOP("Action", "Orange")),
    _color("yellow", QT_TRANSLATE_NOOP("Action", "Yellow")),
    _color("green", QT_TRANSLATE_NOOP("Action", "Green")),
    _color("teal", QT_TRANSLATE_NOOP("Action", "Teal")),
    _color("blue", QT_TRANSLATE_NOOP("Action", "Blue")),
    _color("purple", QT_TRANSLATE_NOOP("Action", "Purple")),
    _color("pink", QT_TRANSLATE_NOOP("Action", "Pink")),
    _color("gray", QT_TRANSLATE_NOOP("Action", "Gray")),
)

PLACEMENT_COMMANDS = (
    _align(
        Line.LEFT, QT_TRANSLATE_NOOP("Action", "Align left edges"), "Alt+Shift+Left", "line column"
    ),
    _align(
        Line.CENTER,
        QT_TRANSLATE_NOOP("Action", "Align horizontal centers"),
        "Alt+Shift+C",
        "center vertical line",
    ),
    _align(
        Line.RIGHT,
        QT_TRANSLATE_NOOP("Action", "Align right edges"),
        "Alt+Shift+Right",
        "line column",
    ),
    _align(Line.TOP, QT_TRANSLATE_NOOP("Action", "Align top edges"), "Alt+Shift+Up", "line row"),
    _align(
        Line.MIDDLE,
        QT_TRANSLATE_NOOP("Action", "Align vertical centers"),
        "Alt+Shift+M",
        "center horizontal line",
    ),
    _align(
        Line.BOTTOM, QT_TRANSLATE_NOOP("Action", "Align bottom edges"), "Alt+Shift+Down", "line row"
    ),
    Command(
        id="action.model.distribute_across",
        title=QT_TRANSLATE_NOOP("Action", "Distribute horizontally"),
        keys=("Alt+Shift+H",),
        words="distribute horizontal space evenly",
        group=2,
        submenu=_ALIGN,
        run=lambda context: context[PlacementController].distribute(across=True),
        is_enabled=_are_three,
    ),
    Command(
        id="action.model.distribute_down",
        title=QT_TRANSLATE_NOOP("Action", "Distribute vertically"),
        keys=("Alt+Shift+V",),
        words="distribute vertical space evenly",
        group=2,
        submenu=_ALIGN,
        run=lambda context: context[PlacementController].distribute(across=False),
        is_enabled=_are_three,
    ),
    Command(
        id="action.model.pin",
        title=QT_TRANSLATE_NOOP("Action", "Pin position"),
        keys=("Ctrl+Shift+L",),
        words="unpin keep place fix lock arrange",
        group=2,
        submenu=_ALIGN,
        run=lambda context: context[ModelController].toggle_pin(),
        is_enabled=has_nodes,
        is_checked=lambda context: is_pinned(context[Session]),
    ),
    Command(
        id="action.model.select_type",
        title=QT_TRANSLATE_NOOP("Action", "Select all of same type"),
        keys=("Ctrl+Shift+A",),
        words="same kind layers",
        group=2,
        submenu=_SELECT,
        run=lambda context: context[PlacementController].select_type(),
        is_enabled=has_nodes,
    ),
    Command(
        id="action.model.select_upstream",
        title=QT_TRANSLATE_NOOP("Action", "Select upstream nodes"),
        keys=("Alt+Left",),
        words="upstream ancestors before inputs",
        group=2,
        submenu=_SELECT,
        run=lambda context: context[PlacementController].select_upstream(),
        is_enabled=has_nodes,
    ),
    Command(
        id="action.model.select_downstream",
        title=QT_TRANSLATE_NOOP("Action", "Select downstream nodes"),
        keys=("Alt+Right",),
        words="downstream dependents after outputs",
        group=2,
        submenu=_SELECT,
        run=lambda context: context[PlacementController].select_downstream(),
        is_enabled=has_nodes,
    ),
)
