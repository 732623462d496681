"""The commands of the Model menu for what is selected on the canvas."""

from studio.command.command import ActionState, Command, has_nodes, is_model
from studio.i18n import QT_TRANSLATE_NOOP

_ALIGN = QT_TRANSLATE_NOOP("Action", "Align and distribute")
_SELECT = QT_TRANSLATE_NOOP("Action", "Select more")


def _are_two(state: ActionState) -> bool:
    return is_model(state) and state.selected > 1


def _are_three(state: ActionState) -> bool:
    return is_model(state) and state.selected > 2


PHRASE_COMMAND = Command(
    id="action.model.phrase",
    title=QT_TRANSLATE_NOOP("Action", "Type a row of layers…"),
    keys=("Ctrl+T",),
    words="build text chain phrase grow sequence",
    enabled=is_model,
)

BYPASS_COMMAND = Command(
    id="action.model.bypass",
    title=QT_TRANSLATE_NOOP("Action", "Skip the layer"),
    keys=("Ctrl+B",),
    words="bypass disable switch off without",
    group=2,
    checkable=True,
    enabled=has_nodes,
)

MUTE_COMMAND = Command(
    id="action.model.mute",
    title=QT_TRANSLATE_NOOP("Action", "Mute the layer: zeros go on"),
    keys=("Ctrl+M",),
    words="ablation silence zero disable switch off",
    group=2,
    checkable=True,
    enabled=has_nodes,
)

FIND_COMMAND = Command(
    id="action.model.find",
    title=QT_TRANSLATE_NOOP("Action", "Find on the canvas…"),
    keys=("Ctrl+F",),
    words="search node layer name type shape",
    enabled=is_model,
)

ALIGN_COMMANDS = (
    Command(
        id="action.model.align_left",
        title=QT_TRANSLATE_NOOP("Action", "Align left edges"),
        keys=("Alt+Shift+Left",),
        words="line column",
        group=2,
        submenu=_ALIGN,
        enabled=_are_two,
    ),
    Command(
        id="action.model.align_center",
        title=QT_TRANSLATE_NOOP("Action", "Align middles in a column"),
        keys=("Alt+Shift+C",),
        words="center vertical line",
        group=2,
        submenu=_ALIGN,
        enabled=_are_two,
    ),
    Command(
        id="action.model.align_right",
        title=QT_TRANSLATE_NOOP("Action", "Align right edges"),
        keys=("Alt+Shift+Right",),
        words="line column",
        group=2,
        submenu=_ALIGN,
        enabled=_are_two,
    ),
    Command(
        id="action.model.align_top",
        title=QT_TRANSLATE_NOOP("Action", "Align top edges"),
        keys=("Alt+Shift+Up",),
        words="line row",
        group=2,
        submenu=_ALIGN,
        enabled=_are_two,
    ),
    Command(
        id="action.model.align_middle",
        title=QT_TRANSLATE_NOOP("Action", "Align middles in a row"),
        keys=("Alt+Shift+M",),
        words="center horizontal line",
        group=2,
        submenu=_ALIGN,
        enabled=_are_two,
    ),
    Command(
        id="action.model.align_bottom",
        title=QT_TRANSLATE_NOOP("Action", "Align bottom edges"),
        keys=("Alt+Shift+Down",),
        words="line row",
        group=2,
        submenu=_ALIGN,
        enabled=_are_two,
    ),
    Command(
        id="action.model.distribute_across",
        title=QT_TRANSLATE_NOOP("Action", "Equal gaps from left to right"),
        keys=("Alt+Shift+H",),
        words="distribute horizontal space evenly",
        group=2,
        submenu=_ALIGN,
        enabled=_are_three,
    ),
    Command(
        id="action.model.distribute_down",
        title=QT_TRANSLATE_NOOP("Action", "Equal gaps from top to bottom"),
        keys=("Alt+Shift+V",),
        words="distribute vertical space evenly",
        group=2,
        submenu=_ALIGN,
        enabled=_are_three,
    ),
    Command(
        id="action.model.pin",
        title=QT_TRANSLATE_NOOP("Action", "Pin the position"),
        keys=("Ctrl+Shift+L",),
        words="unpin keep place fix lock arrange",
        group=2,
        submenu=_ALIGN,
        checkable=True,
        enabled=has_nodes,
    ),
)

SELECT_COMMANDS = (
    Command(
        id="action.model.select_type",
        title=QT_TRANSLATE_NOOP("Action", "Select all of this type"),
        keys=("Ctrl+Shift+A",),
        words="same kind layers",
        group=2,
        submenu=_SELECT,
        enabled=has_nodes,
    ),
    Command(
        id="action.model.select_upstream",
        title=QT_TRANSLATE_NOOP("Action", "Select what leads here"),
        keys=("Alt+Left",),
        words="upstream ancestors before inputs",
        group=2,
        submenu=_SELECT,
        enabled=has_nodes,
    ),
    Command(
        id="action.model.select_downstream",
        title=QT_TRANSLATE_NOOP("Action", "Select what follows from here"),
        keys=("Alt+Right",),
        words="downstream dependents after outputs",
        group=2,
        submenu=_SELECT,
        enabled=has_nodes,
    ),
)
