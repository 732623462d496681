"""Context menu of the canvas, put together from commands."""

from PySide6.QtWidgets import QMenu

from studio.command.actions import ActionSet
from studio.command.context import Context
from studio.model.canvas.controller import ModelController
from studio.model.repair.controller import RepairController
from studio.window.main_window import MainWindow

_EDIT = ("cut", "copy", "paste", "duplicate", "delete")
_WHERE_POSSIBLE = (
    *("group", "switch", "ungroup", "enter", "leave", "unique", "share", "keep", "load_layer"),
)
_NODES = ("rename", "bypass", "mute", "freeze")
_OF_LORA = ("remove_lora", "merge_lora")
_MORE = ("recompute", "collapse", "pin", "frame")
_CANVAS = ("add", "phrase", "note", "find", "arrange", "fit")
_SUBMENUS = ("color_none", "cut_after", "align_left", "select_type")  # by their first command


def fill_context_menu(context: Context, menu: QMenu) -> None:
    """Put in what can be done with what is selected, with what repairs it at the top; with no layer
    selected what can be done with the canvas. All of it together fits on no small screen.
    """
    action = context[ActionSet].action
    has_nodes = bool(context[ModelController].chosen())
    context[RepairController].fill_menu(menu)
    for verb in _EDIT:
        menu.addAction(action(f"action.edit.{verb}"))
    menu.addSeparator()
    for verb in _WHERE_POSSIBLE:
        if action(f"action.model.{verb}").isEnabled():
            menu.addAction(action(f"action.model.{verb}"))
    menu.addSeparator()
    has_lora = action("action.model.remove_lora").isEnabled()
    lora = _OF_LORA if has_lora else ("lora",)
    for verb in (*_NODES, *lora, *_MORE) if has_nodes else _CANVAS:
        menu.addAction(action(f"action.model.{verb}"))
    menu.addAction(action("action.run.debug_breakpoint"))
    menu.addAction(action("action.inspect.look"))
    for verb in _SUBMENUS:
        submenu = context[MainWindow].menu("model").findChild(QMenu, f"menu.model.{verb}")
        if submenu is not None and has_nodes:
            menu.addMenu(submenu)
    menu.addSeparator()
    menu.addAction(action("action.help.topic"))
