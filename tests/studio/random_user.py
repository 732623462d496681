"""A user who does anything: real events at random places, replayable by a seed."""

import random
from collections.abc import Callable

from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QInputMethodEvent,
    QWheelEvent,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QDialog,
    QDockWidget,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)

from engine.catalog.registry import catalog
from widgets.canvas.drag import node_mime

TEXTS = (
    "3", "0", "-1", "1e9", "nan", "abc", "３", "1,5", "auto", "none", "", "3, 3", "true", "0.5",
    "名字", "x;import os", "class", "conv", "a" * 300, "<b>{0}</b>%s", "\t",
)  # fmt: skip
KEYS = (
    Qt.Key.Key_Tab, Qt.Key.Key_Escape, Qt.Key.Key_Return, Qt.Key.Key_Delete, Qt.Key.Key_Left,
    Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_C, Qt.Key.Key_W, Qt.Key.Key_G,
    Qt.Key.Key_M, Qt.Key.Key_Z, Qt.Key.Key_1, Qt.Key.Key_F2, Qt.Key.Key_Space,
)  # fmt: skip
# What leaves the document, or opens a window of the system that would wait for a hand.
LEFT_OUT = (
    "action.file.new", "action.file.open", "action.file.save_as", "action.file.reveal",
    "action.file.close", "action.file.quit", "action.file.welcome", "action.edit.undo",
    "action.edit.redo", "action.view.full_screen",
)  # fmt: skip
SLOW = ("action.view.language", "action.view.text", "action.view.theme", "action.file.picture")
LEFT = Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier
MODIFIERS = (
    NONE,
    NONE,
    NONE,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
)
MOST_NODES = 40
LONG_TEXT = 50  # characters


class RandomUser:
    """Acts on the window of a studio. ``last`` tells what was done last, for replaying by eye."""

    def __init__(self, studio, seed: int) -> None:
        self.studio = studio
        self.last = ""
        self._random = random.Random(seed)
        self._keys = [entry.key for entry in catalog().nodes()]
        weighted: list[tuple[int, Callable[[], object]]] = [
            (14, self._drop_layer),
            (22, self._drag_wire),
            (10, self._drag),
            (8, self._click),
            (4, self._double_click),
            (4, self._turn_wheel),
            (12, self._press_key),
            (8, self._trigger),
            (1, self._trigger_slow),
            (14, self._type_in_form),
            (4, self._choose),
            (3, self._push_button),
            (5, self._change_workspace),
            (2, self._change_dock),
            (6, self._group),
            (5, self._work_with_block),
            (3, self._repeat),
            (10, self._undo_or_redo),
            (1, self._undo_much),
        ]
        self._acts = [act for _, act in weighted]
        self._weights = [weight for weight, _ in weighted]

    @property
    def canvas(self):
        return self.studio.bench.model_page.canvas

    def act(self) -> None:
        """Do one thing, then close whatever dialog it has opened."""
        if len(self.studio.session.level.nodes) > MOST_NODES:
            self._delete_all()
        else:
            (act,) = self._random.choices(self._acts, self._weights)
            self.last = act.__name__
            act()
        QApplication.processEvents()
        self._close_dialogs()
        # A running program deletes what is to go when it comes back to its loop.
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    def _note(self, text: object) -> None:
        self.last += f" {text}"

    def _show(self, name: str) -> None:
        if self.studio.window.workspace != name:
            self.studio.window.show_workspace(name)
            QApplication.processEvents()

    def _place(self) -> QPoint:
        """Return a place on the canvas: on a node, else anywhere."""
        items = list(self.canvas.scene.nodes.values())
        if items and self._random.random() < 0.7:
            item = self._random.choice(items)
            rect = self.canvas.viewport.pixel_rect(item.rect())
            place = QPoint(
                self._random.randint(rect.left(), rect.right()),
                self._random.randint(rect.top(), rect.bottom()),
            )
            if self.canvas.rect().contains(place):
                return place
        return QPoint(
            self._random.randrange(self.canvas.width()),
            self._random.randrange(self.canvas.height()),
        )

    def _port(self, *, is_output: bool) -> QPoint | None:
        items = list(self.canvas.scene.nodes.values())
        self._random.shuffle(items)
        for item in items:
            spots = [spot for spot in item.spots if spot.is_output == is_output]
            if spots:
                spot = self._random.choice(spots)
                scene = QPointF(item.x + spot.dx, item.y + spot.dy)
                return self.canvas.viewport.to_pixel(scene).toPoint()
        return None

    def _pull(self, start: QPoint, end: QPoint, button=LEFT, modifiers=NONE) -> None:
        QTest.mousePress(self.canvas, button, modifiers, start)
        for part in (0.2, 0.6, 1.0):
            QTest.mouseMove(self.canvas, start + (end - start) * part)
        QTest.mouseRelease(self.canvas, button, modifiers, end)

    def _drop_layer(self) -> None:
        self._show("model")
        key = self._random.choice(self._keys)
        self._note(key)
        place, mime = QPointF(self._place()), node_mime(key)
        if self._random.random() < 0.05:
            mime = QMimeData()
            mime.setText("something else")
        kinds = (Qt.DropAction.CopyAction, mime, LEFT, NONE)
        QApplication.sendEvent(self.canvas, QDragEnterEvent(place.toPoint(), *kinds))
        QApplication.sendEvent(self.canvas, QDragMoveEvent(place.toPoint(), *kinds))
        QApplication.sendEvent(self.canvas, QDropEvent(place, *kinds))

    def _drag_wire(self) -> None:
        self._show("model")
        start, end = self._port(is_output=True), self._port(is_output=False)
        if self._random.random() < 0.15:
            end = self._place()
        if self._random.random() < 0.3:
            start, end = end, start
        if start is not None and end is not None:
            self._pull(start, end)

    def _drag(self) -> None:
        self._show("model")
        button = self._random.choice((LEFT, LEFT, LEFT, Qt.MouseButton.MiddleButton))
        self._pull(self._place(), self._place(), button, self._random.choice(MODIFIERS))

    def _click(self) -> None:
        self._show("model")
        QTest.mouseClick(self.canvas, LEFT, self._random.choice(MODIFIERS), self._place())

    def _double_click(self) -> None:
        self._show("model")
        place = self._place()
        QTest.mouseClick(self.canvas, LEFT, NONE, place)
        QTest.mouseDClick(self.canvas, LEFT, NONE, place)
        self._type_and_leave()

    def _type_and_leave(self) -> None:
        """Type into what has the focus now, if it is an editor, and press Enter or Escape."""
        QApplication.processEvents()
        editor = QApplication.focusWidget()
        if isinstance(editor, QLineEdit):
            type_text(editor, self._random.choice(TEXTS))
            key = self._random.choice((Qt.Key.Key_Return, Qt.Key.Key_Escape))
            QTest.keyClick(editor, key)

    def _turn_wheel(self) -> None:
        self._show("model")
        place = QPointF(self._place())
        turn = QPoint(0, self._random.choice((-480, -120, 120, 480)))
        event = QWheelEvent(
            place,
            QPointF(self.canvas.mapToGlobal(place)),
            QPoint(),
            turn,
            Qt.MouseButton.NoButton,
            self._random.choice(MODIFIERS),
            Qt.ScrollPhase.NoScrollPhase,
            False,  # noqa: FBT003 - Qt's own signature
        )
        QApplication.sendEvent(self.canvas, event)

    def _press_key(self) -> None:
        self._show("model")
        self.canvas.setFocus()
        key, modifiers = self._random.choice(KEYS), self._random.choice(MODIFIERS)
        self._note(key.name)
        QTest.keyClick(self.canvas, key, modifiers)
        self._type_and_leave()

    def _trigger(self) -> None:
        actions = self.studio.bench.actions
        usable = [
            actions.action(command)
            for command in actions.commands
            if command not in LEFT_OUT and not command.startswith(SLOW)
        ]
        action = self._random.choice([action for action in usable if action.isEnabled()])
        self._note(action.objectName())
        action.trigger()

    def _trigger_slow(self) -> None:
        actions = self.studio.bench.actions
        slow = [name for name in actions.commands if name.startswith(SLOW)]
        action = actions.action(self._random.choice(slow))
        self._note(action.objectName())
        action.trigger()

    def _editors(self, kind: type[QWidget]) -> list[QWidget]:
        page = self.studio.window.page(self.studio.window.workspace)
        places = [page]
        if self.studio.window.workspace == "model":
            places = [self.studio.bench.inspector, self.studio.bench.palette]
        return [
            widget
            for place in places
            for widget in place.findChildren(kind)
            if widget.isVisible() and widget.isEnabled() and widget.objectName()
        ]

    def _type_in_form(self) -> None:
        if self._random.random() < 0.6:
            self._show("model")
        editors = self._editors(QLineEdit) + self._editors(QPlainTextEdit)
        if not editors:
            return
        editor, text = self._random.choice(editors), self._random.choice(TEXTS)
        self._note(f"{editor.objectName()} {text[:12]!r}")
        editor.setFocus()
        editor.selectAll()
        type_text(editor, text)
        key = self._random.choice(
            (Qt.Key.Key_Return, Qt.Key.Key_Tab, Qt.Key.Key_Escape, Qt.Key.Key_Up)
        )
        QTest.keyClick(editor, key)

    def _choose(self) -> None:
        self._show(self._random.choice(("data", "train", "export", "model")))
        if boxes := self._editors(QComboBox):
            box = self._random.choice(boxes)
            self._note(box.objectName())
            box.setFocus()
            QTest.keyClick(box, self._random.choice((Qt.Key.Key_Down, Qt.Key.Key_Up)))

    def _push_button(self) -> None:
        """Push any button of the page but those that open a window of the system."""
        buttons = [
            button
            for button in self._editors(QAbstractButton)
            if not button.objectName().endswith(("browse", "reveal", "export", ".columns"))
        ]
        if buttons:
            button = self._random.choice(buttons)
            self._note(button.objectName())
            QTest.mouseClick(button, LEFT)

    def _change_workspace(self) -> None:
        name = self._random.choice(("model", "data", "train", "runs", "export"))
        self._note(name)
        button = self.studio.window.findChild(QAbstractButton, f"workspace.{name}")
        QTest.mouseClick(button, LEFT)

    def _change_dock(self) -> None:
        self._show("model")
        dock = self._random.choice(self.studio.window.findChildren(QDockWidget))
        self._note(dock.objectName())
        if self._random.random() < 0.3:
            dock.close()
        else:
            dock.setFloating(not dock.isFloating())

    def _group(self) -> None:
        """Select some nodes that hang together and group them."""
        self._show("model")
        level = self.studio.session.level
        if not level.nodes:
            return
        chosen = [self._random.choice(list(level.nodes))]
        for _ in range(self._random.randrange(4)):
            chosen += [edge.target for edge in level.edges if edge.source == chosen[-1]][:1]
        self.canvas.select(tuple(dict.fromkeys(node for node in chosen if node in self._items())))
        self._try("group")

    def _work_with_block(self) -> None:
        """Do something with a block: go in or out, unpack it, copy it, make it unique."""
        self._show("model")
        verb = self._random.choice(
            ("enter", "enter", "leave", "ungroup", "unique", "copy", "share")
        )
        self._note(verb)
        items, level = self._items(), self.studio.session.level
        blocks = [key for key in items if key in level.nodes and is_use(level.nodes[key])]
        if verb == "share" and len(items) > 1:
            self.canvas.select(tuple(self._random.sample(list(items), 2)))
        elif blocks and verb != "leave":
            self.canvas.select((self._random.choice(blocks),))
        if verb == "copy":
            QTest.keyClick(self.canvas, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
            QTest.keyClick(self.canvas, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
        else:
            self._try(verb)

    def _repeat(self) -> None:
        """Type how often a node follows itself, sensible or not."""
        self._show("model")
        if items := self._items():
            self.canvas.select((self._random.choice(list(items)),))
            QTest.qWait(40)  # the inspector follows
        fields = [e for e in self._editors(QLineEdit) if e.objectName().endswith("@repeat")]
        if fields:
            fields[0].setFocus()
            fields[0].selectAll()
            type_text(fields[0], self._random.choice(("1", "2", "3", "0", "abc", "1001", "2.5")))
            QTest.keyClick(fields[0], Qt.Key.Key_Return)

    def _items(self) -> dict[str, object]:
        return self.canvas.scene.nodes

    def _try(self, verb: str) -> None:
        action = self.studio.bench.actions.action(f"action.model.{verb}")
        if action.isEnabled():
            action.trigger()

    def _undo_or_redo(self) -> None:
        verb = self._random.choice(("undo", "undo", "redo"))
        self._note(verb)
        self.studio.bench.actions.action(f"action.edit.{verb}").trigger()

    def _undo_much(self) -> None:
        for _ in range(self._random.randrange(30)):
            self.studio.bench.actions.action("action.edit.undo").trigger()

    def _delete_all(self) -> None:
        self.last = "delete all"
        self._show("model")
        self.canvas.select_all()
        self.canvas.setFocus()
        QTest.keyClick(self.canvas, Qt.Key.Key_Delete)

    def _close_dialogs(self) -> None:
        for widget in QApplication.topLevelWidgets():
            if isinstance(widget, QDialog) and widget.isVisible():
                QTest.keyClick(widget, Qt.Key.Key_Escape)
        if (popup := QApplication.activePopupWidget()) is not None:
            popup.close()


def is_use(node) -> bool:
    """Return whether a node is a use of a block."""
    return node.type.startswith("block.")


def type_text(editor: QWidget, text: str) -> None:
    """Type a text; what no key gives, and what is long, comes from an input method, all at once."""
    if text.isascii() and len(text) < LONG_TEXT:
        QTest.keyClicks(editor, text)
        return
    event = QInputMethodEvent()
    event.setCommitString(text)
    QApplication.sendEvent(editor, event)
