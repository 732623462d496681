"""Editors for the title of a frame and the text of a note, opened in place."""

from math import ceil

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QRect, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QPlainTextEdit
from typing_extensions import override

from widgets.canvas.board import Board
from widgets.canvas.painting.box import note_height
from widgets.canvas.painting.style import SMALL_PIXELS, TITLE_PIXELS
from widgets.canvas.rename_editor import RenameEditor
from widgets.common.throttle import Debounce

translate = QCoreApplication.translate

_STAYS = (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason)
_LEAST = (120, 48)  # pixels of the field for a note
_PAUSE_MS = 1000


class BoxWriting(QObject):
    """Two fields over the canvas: a line for titles, some lines for notes. A note is taken as it is
    written, after each pause; Esc, Ctrl+Enter and a click elsewhere end that. It grows with its
    text.
    """

    def __init__(self, board: Board) -> None:
        super().__init__(board)
        self._board = board
        self._box = ""
        self._title = RenameEditor(board)
        self._title.setObjectName("canvas.frame_title")
        self._title.renamed.connect(self._on_renamed)
        self._note = QPlainTextEdit(board)
        self._note.setObjectName("canvas.note")
        self._note.setTabChangesFocus(True)
        self._note.installEventFilter(self)
        self._note.hide()
        self._written = ""  # the text that was asked for last, and the one that was shown last
        self._seen = ""
        self._typing = Debounce(_PAUSE_MS, self._flush, self)
        self._note.textChanged.connect(self._typing.request)

    def begin(self, box_id: str) -> None:
        """Show the field on a frame or note."""
        self.finish()
        board, item = self._board, self._board.scene.boxes[box_id]
        style, scale = board.style_now(), board.viewport.scale
        board.writing_begun.emit()
        area = board.viewport.pixel_rect(item.title_rect())
        if item.view.is_frame:
            font = style.font(max(style.pixels(TITLE_PIXELS, scale), 11), bold=True)
            self._title.open_on(box_id, item.view.text, area, font)
            self._title.setAccessibleName(translate("Canvas", "Title of the frame"))
            return
        self._box = box_id
        self._note.setAccessibleName(translate("Canvas", "Text of the note"))
        self._note.setFont(style.font(max(style.pixels(SMALL_PIXELS + 1, scale), 11)))
        self._put(item.view.text)
        self._note.selectAll()
        self._place(area)
        self._note.show()
        self._note.raise_()
        self._note.setFocus(Qt.FocusReason.PopupFocusReason)

    def tidy(self) -> None:
        """Follow what is shown; leave what is not there any more."""
        boxes = self._board.scene.boxes
        self._title.leave_unless(boxes)
        if not self._box:
            return
        item = boxes.get(self._box)
        if item is None:
            self._close(keep=False)
            return
        self._place(self._board.viewport.pixel_rect(item.title_rect()))
        is_changed_elsewhere = item.view.text not in (self._written, self._seen)
        self._seen = item.view.text
        if is_changed_elsewhere and self._note.toPlainText() == self._written:  # undo, mostly
            self._put(item.view.text)

    def _flush(self) -> None:
        """Take what was written in a note so far, and let it be written on."""
        self._typing.cancel()
        item, text = self._board.scene.boxes.get(self._box), self._note.toPlainText()
        if item is None or text == self._written:
            return
        self._written = text
        rect = item.rect()
        needed = note_height(self._board.style_now(), text, rect.width())
        rect.setHeight(max(rect.height(), float(ceil(needed))))
        self._board.ask_box(self._box, text, rect)

    def finish(self) -> None:
        """Take what was written."""
        self._title.finish(keep=True)
        self._close(keep=True)

    def take(self) -> None:
        """Take what was written so far; a note can be written on."""
        self._title.finish(keep=True)
        self._flush()

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusOut and isinstance(event, QFocusEvent):
            if event.reason() not in _STAYS:
                self._close(keep=True)
        elif event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            if event.key() == Qt.Key.Key_Escape:
                self._close(keep=True)
                return True
            if is_enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                self._close(keep=True)
                return True
        return super().eventFilter(watched, event)

    def _close(self, *, keep: bool) -> None:
        if not self._box:
            return
        if keep:
            self._flush()
        self._box = ""
        had_focus = self._note.hasFocus()
        self._note.hide()
        if had_focus:
            self._board.setFocus(Qt.FocusReason.PopupFocusReason)

    def _put(self, text: str) -> None:
        self._written = self._seen = text
        self._note.setPlainText(text)
        self._typing.cancel()

    def _place(self, area: QRect) -> None:
        width, height = max(area.width(), _LEAST[0]), max(area.height(), _LEAST[1])
        self._note.setGeometry(area.x(), area.y(), width, height)

    def _on_renamed(self, box_id: str, text: str) -> None:
        item = self._board.scene.boxes.get(box_id)
        if item is not None:
            self._board.ask_box(box_id, text, item.rect())
