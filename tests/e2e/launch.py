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


def answer(question: dict) -> dict | None:
    """Return place, state and text of a widget, an action in a menu, a node or a port."""
    from PySide6.QtWidgets import QApplication

    match question["ask"]:
        case "widget":
            return _widget(question["name"])
        case "menu":
            return _menu_action(question["name"])
        case "port":
            return _port(question["node"], question["port"], question["side"])
        case "row":
            return _row(question["name"], question["text"])
        case "dialogs":
            widgets = [w for w in QApplication.topLevelWidgets() if w.isVisible()]
            return {"names": [w.objectName() for w in widgets]}
    return None


def _find(name: str):
    from PySide6.QtWidgets import QApplication, QWidget

    found = [w for w in QApplication.allWidgets() if w.objectName() == name]
    shown = [w for w in found if w.isVisible()]
    return (shown or found or [None])[0] if found else QWidget.find(0)


def _place(widget, rect) -> dict:
    corner = widget.mapToGlobal(rect.topLeft())
    return {"x": corner.x(), "y": corner.y(), "w": rect.width(), "h": rect.height()}


def _widget(name: str) -> dict | None:
    widget = _find(name)
    if widget is None:
        return None
    texts = (getattr(widget, part, None) for part in ("text", "toPlainText", "currentText"))
    text = next((call() for call in texts if callable(call)), "")
    value = widget.value() if hasattr(widget, "value") else None
    state = {"visible": widget.isVisible(), "enabled": widget.isEnabled(), "text": text}
    if not isinstance(value, int | float):
        value = None
    return _place(widget, widget.rect()) | state | {"value": value}


def _menu_action(name: str) -> dict | None:
    from PySide6.QtWidgets import QApplication, QMenu

    for menu in QApplication.allWidgets():
        if not isinstance(menu, QMenu) or not menu.isVisible():
            continue
        for action in menu.actions():
            if action.objectName() == name:
                return _place(menu, menu.actionGeometry(action)) | {"enabled": action.isEnabled()}
    return None


def _row(name: str, text: str) -> dict | None:
    """Return the place of the row of a list, table or tree that shows a text."""
    from PySide6.QtCore import Qt
    from PySide6.QtWidgets import QAbstractItemView

    view = _find(name)
    if view is not None and not isinstance(view, QAbstractItemView):
        view = view.findChild(QAbstractItemView)
    if view is None:
        return None
    model = view.model()

    def search(parent):
        for row in range(model.rowCount(parent)):
            for column in range(model.columnCount(parent)):
                index = model.index(row, column, parent)
                shown = str(index.data(Qt.ItemDataRole.DisplayRole) or "")
                if text.lower() in shown.lower():
                    return index
            if (below := search(model.index(row, 0, parent))) is not None:
                return below
        return None

    from PySide6.QtCore import QModelIndex

    index = search(QModelIndex())
    if index is None:
        return None
    rect = view.visualRect(index)
    return _place(view.viewport(), rect) | {"text": str(index.data() or "")}


def _port(node: str, port: str, side: str) -> dict | None:
    """Return the screen point of a port, by the name that the node shows."""
    from widgets.canvas.locate import port_point

    canvas = _find("canvas")
    point = port_point(canvas, node, port, side) if canvas is not None else None
    return None if point is None else {"x": point.x(), "y": point.y(), "w": 0, "h": 0}


def listen() -> None:
    """Answer every question on the window's thread, in order."""
    from PySide6.QtCore import QCoreApplication, QTimer

    for line in sys.stdin:
        question = json.loads(line)
        app = QCoreApplication.instance()
        if app is None:
            print(json.dumps(None), flush=True)
            continue
        done = threading.Event()

        def reply(question=question, done=done) -> None:
            try:
                text = json.dumps(answer(question))
            except Exception as error:  # the driver fails the test with it
                text = json.dumps({"error": repr(error)})
            print(text, flush=True)
            done.set()

        QTimer.singleShot(0, app, reply)
        done.wait(30)


if __name__ == "__main__":
    sys.argv = [str(ROOT / "main.py"), *sys.argv[1:]]
    sys.path.insert(0, str(ROOT))
    threading.Thread(target=listen, daemon=True).start()
    runpy.run_path(str(ROOT / "main.py"), run_name="__main__")
