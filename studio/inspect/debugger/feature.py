"""Feature of the Debugger page of Inspect."""

from collections.abc import Callable, Iterator

from PySide6.QtWidgets import QWidget

from studio.command.command import Command, Rule
from studio.command.context import Context
from studio.i18n import QT_TRANSLATE_NOOP
from studio.inspect.page import inspect_page
from studio.model.canvas.controller import ModelController
from studio.run_control.controller import RunController
from studio.run_control.debugging import Debugging
from studio.services import Services
from studio.view.rule import has_one_node
from studio.window.paged import in_steps
from widgets.canvas.canvas import Canvas


def _build(context: Context) -> Iterator[QWidget]:
    from studio.inspect.debugger.controller import DebuggerController
    from studio.inspect.debugger.page import DebuggerPage

    page = DebuggerPage()
    yield from in_steps(page)
    DebuggerController(
        context[Services],
        page,
        canvas=context[Canvas],
        show_node=context[ModelController].show_node,
    )


def _debug(
    verb: str,
    title: str,
    words: str,
    run: Callable[[Debugging], object],
    *,
    keys: tuple[str, ...] = (),
    is_enabled: Rule = lambda context: context[RunController].is_running,
) -> Command:
    return Command(
        id=f"action.run.debug_{verb}",
        title=title,
        keys=keys,
        words=words,
        group=3,
        submenu=QT_TRANSLATE_NOOP("Action", "Debugger"),
        run=lambda context: run(context[Debugging]),
        is_enabled=is_enabled,
    )


_RUN = (
    _debug(
        "breakpoint",
        QT_TRANSLATE_NOOP("Action", "Toggle breakpoint"),
        "debugger stop toggle",
        Debugging.toggle_layer,
        keys=("F9",),
        is_enabled=has_one_node,
    ),
    _debug(
        "continue",
        QT_TRANSLATE_NOOP("Action", "Continue to next breakpoint"),
        "continue resume debugger",
        Debugging.go_on,
        keys=("F8",),
    ),
    _debug(
        "layer",
        QT_TRANSLATE_NOOP("Action", "Step over layer"),
        "next debugger single",
        lambda debugging: debugging.step("layer"),
        keys=("F7",),
    ),
    _debug(
        "function",
        QT_TRANSLATE_NOOP("Action", "Step to next backward Function"),
        "grad_fn gradient debugger node",
        lambda debugging: debugging.step("function"),
        keys=("Shift+F7",),
    ),
    _debug(
        "optimizer",
        QT_TRANSLATE_NOOP("Action", "Step to optimizer"),
        "gradients weights update debugger",
        lambda debugging: debugging.step("optimizer"),
    ),
    _debug(
        "batch",
        QT_TRANSLATE_NOOP("Action", "Step to next batch"),
        "iteration debugger",
        lambda debugging: debugging.step("batch"),
    ),
    _debug(
        "epoch",
        QT_TRANSLATE_NOOP("Action", "Step to next epoch"),
        "debugger",
        lambda debugging: debugging.step("epoch"),
    ),
)

FEATURE = inspect_page(
    "debugger",
    title=QT_TRANSLATE_NOOP("Inspect", "Debugger"),
    tip=QT_TRANSLATE_NOOP("Inspect", "Stop within a training step to view and change tensors"),
    command=QT_TRANSLATE_NOOP("Action", "Debugger"),
    words="breakpoints stop tensors values",
    build=_build,
    more=_RUN,
)
