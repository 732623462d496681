"""The commands of the debugger, in the Run menu."""

from studio.command.command import ActionState, Command, is_model
from studio.i18n import QT_TRANSLATE_NOOP

_DEBUGGER = QT_TRANSLATE_NOOP("Action", "Debugger")


def _is_running(state: ActionState) -> bool:
    return state.is_running


def _is_one(state: ActionState) -> bool:
    return is_model(state) and state.selected == 1


def _step(verb: str, title: str, words: str, keys: tuple[str, ...] = ()) -> Command:
    return Command(
        id=f"action.run.debug_{verb}",
        title=title,
        keys=keys,
        words=words,
        group=3,
        submenu=_DEBUGGER,
        enabled=_is_running,
    )


DEBUG = (
    Command(
        id="action.run.debug_breakpoint",
        title=QT_TRANSLATE_NOOP("Action", "Breakpoint at this layer"),
        keys=("F9",),
        words="debugger stop toggle",
        group=3,
        submenu=_DEBUGGER,
        enabled=_is_one,
    ),
    _step(
        "continue",
        QT_TRANSLATE_NOOP("Action", "Go on to the next breakpoint"),
        "continue resume debugger",
        ("F8",),
    ),
    _step(
        "layer", QT_TRANSLATE_NOOP("Action", "Step over the layer"), "next debugger single", ("F7",)
    ),
    _step(
        "function",
        QT_TRANSLATE_NOOP("Action", "Step to the next backward Function"),
        "grad_fn gradient debugger node",
        ("Shift+F7",),
    ),
    _step(
        "optimizer",
        QT_TRANSLATE_NOOP("Action", "Step to the optimizer"),
        "gradients weights update debugger",
    ),
    _step("batch", QT_TRANSLATE_NOOP("Action", "Step to the next batch"), "iteration debugger"),
    _step("epoch", QT_TRANSLATE_NOOP("Action", "Step to the next epoch"), "debugger"),
)
