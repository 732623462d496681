"""The commands of the Code menu: the user's own code, and whether it may run."""

from studio.command.command import ActionState, Command, has_project
from studio.i18n import QT_TRANSLATE_NOOP

_NEW = QT_TRANSLATE_NOOP("Action", "New file")
_SNIPPETS = (
    ("layers", QT_TRANSLATE_NOOP("Action", "Layer without weights"), "module custom own"),
    ("weights", QT_TRANSLATE_NOOP("Action", "Layer with weights"), "module parameter custom own"),
    ("functions", QT_TRANSLATE_NOOP("Action", "Function (operator)"), "custom own def"),
    (
        "gradients",
        QT_TRANSLATE_NOOP("Action", "Function with its own gradient"),
        "autograd backward custom own",
    ),
    ("shapes", QT_TRANSLATE_NOOP("Action", "Shape assertion"), "assert size check custom own"),
    ("losses", QT_TRANSLATE_NOOP("Action", "Loss"), "criterion custom own"),
    (
        "masks",
        QT_TRANSLATE_NOOP("Action", "Loss for masks (Dice)"),
        "criterion segmentation overlap custom own",
    ),
    ("initialisers", QT_TRANSLATE_NOOP("Action", "Initialiser"), "init weights custom own"),
    ("empty", QT_TRANSLATE_NOOP("Action", "Empty file"), "python custom own"),
)


def _has_file(state: ActionState) -> bool:
    return state.has_project and state.has_own_file


CODE = (
    Command(
        id="action.code.show",
        title=QT_TRANSLATE_NOOP("Action", "Own code"),
        keys=("Ctrl+E",),
        words="editor python files write show hide",
        checkable=True,
        enabled=has_project,
    ),
    Command(
        id="action.code.wide",
        title=QT_TRANSLATE_NOOP("Action", "Code in the place of the canvas"),
        keys=("Ctrl+F11",),
        words="editor maximise room wide beside",
        checkable=True,
        enabled=_has_file,
    ),
    Command(
        id="action.code.definition",
        title=QT_TRANSLATE_NOOP("Action", "Go to the code of the layer"),
        keys=("F12",),
        words="definition source open selected",
        enabled=lambda state: state.is_own,
    ),
    Command(
        id="action.code.gradients",
        title=QT_TRANSLATE_NOOP("Action", "Check the gradients of the layer"),
        keys=("Shift+F12",),
        words="gradcheck backward autograd numeric derivative",
        enabled=lambda state: state.is_own,
    ),
    *(
        Command(
            id=f"action.code.new_{name}",
            title=title,
            words=words,
            group=1,
            submenu=_NEW,
            enabled=has_project,
        )
        for name, title, words in _SNIPPETS
    ),
    Command(
        id="action.code.rename",
        title=QT_TRANSLATE_NOOP("Action", "Rename the file"),
        words="own code python",
        group=1,
        enabled=_has_file,
    ),
    Command(
        id="action.code.remove",
        title=QT_TRANSLATE_NOOP("Action", "Remove the file"),
        words="own code python delete",
        group=1,
        enabled=_has_file,
    ),
    Command(
        id="action.code.outside",
        title=QT_TRANSLATE_NOOP("Action", "Open the file in another editor"),
        keys=("Ctrl+Alt+E",),
        words="external outside program vscode own code",
        group=2,
        enabled=_has_file,
    ),
    Command(
        id="action.code.rewrite",
        title=QT_TRANSLATE_NOOP("Action", "Write the code of the model anew"),
        words="regenerate generate python text reset source canvas",
        group=2,
        enabled=lambda state: state.has_own_text,
    ),
    Command(
        id="action.code.trust",
        title=QT_TRANSLATE_NOOP("Action", "Trust the code of this project…"),
        words="restricted safe run security",
        group=3,
        enabled=lambda state: state.is_restricted,
    ),
    Command(
        id="action.code.withdraw",
        title=QT_TRANSLATE_NOOP("Action", "Run no code of this project"),
        words="restricted safe security distrust withdraw",
        group=3,
        enabled=lambda state: state.has_code and not state.is_restricted,
    ),
)
"""Wherever a file is meant, it is the one that the editor shows."""
