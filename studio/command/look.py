"""The commands of the Model menu for what is on the canvas for the reader alone."""

from studio.command.command import Command, has_nodes, is_model, is_selection
from studio.i18n import QT_TRANSLATE_NOOP

_COLOR = QT_TRANSLATE_NOOP("Action", "Colour")

_COLORS = (
    ("none", QT_TRANSLATE_NOOP("Action", "No colour")),
    ("red", QT_TRANSLATE_NOOP("Action", "Red")),
    ("orange", QT_TRANSLATE_NOOP("Action", "Orange")),
    ("yellow", QT_TRANSLATE_NOOP("Action", "Yellow")),
    ("green", QT_TRANSLATE_NOOP("Action", "Green")),
    ("teal", QT_TRANSLATE_NOOP("Action", "Teal")),
    ("blue", QT_TRANSLATE_NOOP("Action", "Blue")),
    ("purple", QT_TRANSLATE_NOOP("Action", "Purple")),
    ("pink", QT_TRANSLATE_NOOP("Action", "Pink")),
    ("gray", QT_TRANSLATE_NOOP("Action", "Grey")),
)

LOOK_COMMANDS = (
    Command(
        id="action.model.frame",
        title=QT_TRANSLATE_NOOP("Action", "Frame the selection"),
        keys=("Ctrl+J",),
        words="comment box border title section group area",
        group=2,
        enabled=is_model,
    ),
    Command(
        id="action.model.note",
        title=QT_TRANSLATE_NOOP("Action", "Add a note"),
        keys=("Ctrl+Alt+N",),
        words="comment text remark sticky",
        group=2,
        enabled=is_model,
    ),
    Command(
        id="action.model.collapse",
        title=QT_TRANSLATE_NOOP("Action", "Show only the title"),
        keys=("Ctrl+Alt+J",),
        words="collapse minimize fold small expand",
        group=2,
        checkable=True,
        enabled=has_nodes,
    ),
    *(
        Command(
            id=f"action.model.color_{name}",
            title=title,
            words="colour color paint mark node frame note",
            group=2,
            submenu=_COLOR,
            enabled=is_selection,
        )
        for name, title in _COLORS
    ),
)
