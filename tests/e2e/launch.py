"""Start the real program and, beside it, tell where things are on the screen.

This stands in the tests, not in the product: ``main.py`` runs as a user runs it; a thread reads
questions from standard input and answers with places and texts. Nothing here presses or sets
anything: mouse and keys come from the X server.
"""

import json
import runpy
import sys
import threading
from pathlib import Path

ROOT = Path(__file__).parents[2]
ANSWER_S = 30.0


def answer(question: dict) -> dict | None:
    """Return place, state and text of a widget, an action in a menu, a button, a row, a node or a
    port, or what the program knows of keys and buttons.
    """
    asked = {name: value for name, value in question.items() if name != "ask"}
    return _ANSWERS[question["ask"]](**asked)


def _find(name: str):
    """Return the widget of that name, a visible one where there are several."""
    from PySide6.QtWidgets import QApplication

    found = [w for w in QApplication.allWidgets() if w.objectName() == name]
    return next((w for w in found if w.isVisible()), found[0] if found else None)


def _place(widget, rect) -> dict:
    corner = widget.mapToGlobal(rect.topLeft())
    return {"x": corner.x(), "y": corner.y(), "w": rect.width(), "h": rect.height()}


def _is_shown(widget) -> bool:
    """Return whether the window of a widget is on the screen: before that nobody knows where."""
    from shiboken6 import isValid

    if not widget.isVisible():
        return False
    window = widget.window().windowHandle()
    # Of a list that is opened again Python may know only the window that it had before.
    return window is not None and (not isValid(window) or window.isExposed())


def _hands() -> dict:
    """Return whether a window takes keys now, and whether the program knows of a pressed button."""
    from PySide6.QtCore import Qt
    from PySide6.QtGui import QGuiApplication
    from PySide6.QtWidgets import QApplication

    window, modal = QApplication.activeWindow(), QApplication.activeModalWidget()
    return {
        "takes_keys": window is not None and _is_shown(window) and modal in (None, window),
        "is_pressed": QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton,
    }


def _widget(name: str) -> dict | None:
    """Return the part of a widget that is to be seen, with what it shows."""
    from PySide6.QtWidgets import QApplication

    widget = _find(name)
    if widget is None:
        return None
    parts = (getattr(widget, part, None) for part in ("text", "toPlainText", "currentText"))
    text = next((call() for call in parts if callable(call)), "")
    value = widget.value() if hasattr(widget, "value") else None
    rect = widget.visibleRegion().boundingRect()
    focus = QApplication.focusWidget()
    return _place(widget, rect if widget.isVisible() else widget.rect()) | {
        "visible": _is_shown(widget) and not rect.isEmpty(),
        "enabled": widget.isEnabled(),
        "has_focus": focus is not None and (focus is widget or widget.isAncestorOf(focus)),
        "text": text or widget.windowTitle(),
        "value": value if isinstance(value, int | float) else None,
    }


def _menu_action(name: str) -> dict | None:
    from PySide6.QtWidgets import QApplication, QMenu

    for menu in QApplication.allWidgets():
        if not isinstance(menu, QMenu) or not _is_shown(menu):
            continue
        for action in menu.actions():
            if action.objectName() == name:
                return _place(menu, menu.actionGeometry(action)) | {"enabled": action.isEnabled()}
    return None


def _button(text: str) -> dict | None:
    """Return a button of the window that takes the mouse, by its text: those of Qt's own dialogs
    have no names.
    """
    from PySide6.QtWidgets import QApplication, QPushButton

    window = QApplication.activeModalWidget()
    for button in () if window is None else window.findChildren(QPushButton):
        if _is_shown(button) and button.text().replace("&", "") == text:
            return _place(button, button.rect()) | {"enabled": button.isEnabled()}
    return None


def _row(name: str, text: str) -> dict | None:
    """Return the first cell that holds a text, of a list, table, tree or an open combo box;
    ``cells`` are the texts of its row by the titles of the columns.
    """
    from PySide6.QtCore import QAbstractListModel, Qt
    from PySide6.QtWidgets import QAbstractItemView, QComboBox

    view = _find(name)
    if isinstance(view, QComboBox):
        found = view.completer().popup() if view.completer() else view.view()
        view = found if found.isVisible() else view.view()
    if not isinstance(view, QAbstractItemView) or not _is_shown(view):
        return None
    model = view.model()

    def shown(index) -> str:
        return str(index.data(Qt.ItemDataRole.DisplayRole) or "")

    def columns(parent) -> int:
        return 1 if isinstance(model, QAbstractListModel) else model.columnCount(parent)

    def search(parent):
        for row in range(model.rowCount(parent)):
            for column in range(columns(parent)):
                index = model.index(row, column, parent)
                if text.lower() in shown(index).lower():
                    return index
            if (below := search(model.index(row, 0, parent))) is not None:
                return below
        return None

    index = search(view.rootIndex())
    if index is None:
        return None
    cells = {
        str(model.headerData(column, Qt.Orientation.Horizontal) or column): shown(
            index.siblingAtColumn(column)
        )
        for column in range(columns(index.parent()))
    }
    rect = view.visualRect(index)
    is_visible = view.viewport().rect().contains(rect.center())
    return _place(view.viewport(), rect) | {
        "text": shown(index),
        "cells": cells,
        "visible": is_visible,
    }


def _item(canvas, name: str):
    return next((i for i in canvas.scene.nodes.values() if i.view.title == name), None)


def _node(name: str, view: str = "canvas") -> dict | None:
    """Return the card of a node, by the name that it shows, on a canvas or in a viewer."""
    canvas = _find(view)
    item = _item(canvas, name) if canvas is not None else None
    if item is None:
        return None
    shown = item.view
    return _place(canvas, canvas.viewport.pixel_rect(item.rect())) | {
        "visible": _is_shown(canvas),
        "is_selected": shown.id in canvas.selected_nodes(),
        "severity": shown.severity,
    }


def _port(node: str, port: str, side: str) -> dict | None:
    """Return the screen point of a port, by the name that its node shows."""
    canvas = _find("canvas")
    item = _item(canvas, node) if canvas is not None else None
    if item is None or item.spot(port, is_output=side == "output") is None:
        return None
    place = item.port_point(port, is_output=side == "output")
    point = canvas.mapToGlobal(canvas.viewport.to_pixel(place).toPoint())
    key = canvas.scene.wire_into(item.view.id, port) if side == "input" else None
    wired = {"visible": _is_shown(canvas), "is_wired": key is not None}
    return {"x": point.x(), "y": point.y(), "w": 0, "h": 0} | wired


_ANSWERS = {
    "widget": _widget,
    "menu": _menu_action,
    "button": _button,
    "row": _row,
    "node": _node,
    "port": _port,
    "hands": _hands,
}


def listen() -> None:
    """Answer every question on the window's thread, in order.

    Qt is imported by the program alone: importing PySide6 here too, while the program imports its
    own modules, made one of them not be found now and then. Nor is a class asked of it that the
    program has not used yet: PySide makes each at its first use, and two threads that do so at once
    may wait for each other for ever, one with Python's lock, one with a lock of PySide.
    """
    saying = threading.Lock()
    for line in sys.stdin:
        question = json.loads(line)
        made = getattr(sys.modules.get("PySide6.QtCore"), "__dict__", {})
        program, timer = made.get("QCoreApplication"), made.get("QTimer")
        app = None if program is None or timer is None else program.instance()
        if app is None:
            print(json.dumps(None), flush=True)
            continue
        said = threading.Event()

        def say(text: str, said=said) -> None:
            with saying:
                if not said.is_set():
                    print(text, flush=True)
                    said.set()

        def reply(question=question, say=say) -> None:
            try:
                text = json.dumps(answer(question))
            except Exception as error:  # the driver fails the test with it
                text = json.dumps({"error": repr(error)})
            say(text)

        timer.singleShot(0, app, reply)
        if not said.wait(ANSWER_S):
            say(json.dumps(None))  # lost while the application was being made: it is asked again


if __name__ == "__main__":
    sys.argv = [str(ROOT / "main.py"), *sys.argv[1:]]
    sys.path[0] = str(ROOT)
    threading.Thread(target=listen, daemon=True).start()
    runpy.run_path(str(ROOT / "main.py"), run_name="__main__")
