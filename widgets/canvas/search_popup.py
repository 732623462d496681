"""Search popup at the cursor: type, choose, and the node is there."""

from collections.abc import Callable, Iterable

from PySide6.QtCore import (
    QAbstractListModel,
    QCoreApplication,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from widgets.canvas.painting.card import paint_glyph
from widgets.canvas.painting.style import Style
from widgets.canvas.phrase_preview import PhrasePreview
from widgets.canvas.search_ranking import Usage, ranked
from widgets.canvas.view_model import PhraseView, SearchEntry, Spot
from widgets.common import parts
from widgets.common.theme import current_theme, text_scale, theme_signals

translate = QCoreApplication.translate

Index = QModelIndex | QPersistentModelIndex
ENTRY = Qt.ItemDataRole.UserRole
_STAYING = (  # a menu of the field, another window
    Qt.FocusReason.PopupFocusReason,
    Qt.FocusReason.ActiveWindowFocusReason,
)
_WIDTH, _ROW, _MOST_ROWS = 380, 44, 7


PhraseRule = Callable[[str, Spot], PhraseView]
"""What a text would add as a phrase, and whether it is one."""


def _category(entry: SearchEntry) -> str:
    return entry.category_title or entry.category


class EntryModel(QAbstractListModel):
    """The entries found, in order."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries: list[SearchEntry] = []

    def show(self, entries: list[SearchEntry]) -> None:
        """Replace what is listed."""
        self.beginResetModel()
        self._entries = entries
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        """Return how many entries there are."""
        return 0 if parent.isValid() else len(self._entries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the label, what a screen reader says, or the whole entry."""
        if not index.isValid():
            return None
        entry = self._entries[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.label
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{entry.label}, {_category(entry)}. {entry.summary}"
        return entry if role == ENTRY else None


class EntryDelegate(QStyledItemDelegate):
    """Draws an entry: glyph, label, category at the right, summary below."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: ARG002
        """Return two lines of text."""
        return QSize(_WIDTH - 24, round(_ROW * text_scale()))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one row."""
        entry = index.data(ENTRY)
        theme = current_theme()
        style = Style(theme, option.font, 1.0)
        rect = option.rect.adjusted(2, 1, -2, -1)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(style["accent_soft"])
            painter.drawRoundedRect(rect, 5, 5)
        color = style.category(entry.category)
        paint_glyph(painter, QPointF(rect.left() + 9, rect.center().y() - 7), entry.category, color)
        self._paint_texts(painter, rect.adjusted(36, 3, -8, -3), entry, style)
        painter.restore()

    def _paint_texts(
        self, painter: QPainter, area: QRect, entry: SearchEntry, style: Style
    ) -> None:
        upper = QRect(area.left(), area.top(), area.width(), area.height() // 2)
        lower = QRect(area.left(), upper.bottom(), area.width(), area.height() // 2)
        scale = text_scale()
        small, large = round(11 * scale), round(13 * scale)
        middle = Qt.AlignmentFlag.AlignVCenter
        category_width = round(style.width(_category(entry), small)) + 8
        painter.setFont(style.font(small))
        painter.setPen(style["faint"])
        painter.drawText(upper, Qt.AlignmentFlag.AlignRight | middle, _category(entry))
        painter.setPen(style["muted"])
        summary = style.elided(entry.summary, small, lower.width())
        painter.drawText(lower, Qt.AlignmentFlag.AlignLeft | middle, summary)
        painter.setFont(style.font(large, bold=True))
        painter.setPen(style["text"])
        label = style.elided(entry.label, large, upper.width() - category_width, bold=True)
        painter.drawText(upper, Qt.AlignmentFlag.AlignLeft | middle, label)


class SearchPopup(QFrame):
    """A field and a list over the canvas. ``chosen`` carries the key of the entry and the
    :class:`Spot` that it was opened for. What is typed may be a phrase instead; then a preview is
    shown in the place of the list. Up and Down choose, Enter takes, Esc and a click elsewhere
    close.
    """

    chosen = Signal(str, object)
    phrase_chosen = Signal(str, object)  # what was typed, Spot

    def __init__(self, usage: Usage, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("canvas.search")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._usage = usage
        self._canvas = parent
        self._entries: tuple[SearchEntry, ...] = ()
        self._spot = Spot(x=0.0, y=0.0)
        self._is_open = False
        self._phrase_rule: PhraseRule | None = None
        self._phrase: PhraseView | None = None  # while a phrase is typed
        self._is_phrase_asked = False
        self.preview = PhrasePreview()
        self.field = parts.line_edit(self, "canvas.search.field")
        self.list = QListView()
        self.list.setObjectName("canvas.search.list")
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setUniformItemSizes(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setItemDelegate(EntryDelegate(self.list))
        self._model = EntryModel(self.list)
        self.list.setModel(self._model)
        self._foot = parts.label(self, "canvas.search.foot", role="faint")
        layout = self._column = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 6)
        layout.setSpacing(6)
        for widget in (self.field, self.list, self.preview, self._foot):
            layout.addWidget(widget)
        self.field.textChanged.connect(self._search)
        self.field.installEventFilter(self)
        self.list.clicked.connect(self._take)
        theme_signals().changed.connect(self._on_theme_changed)
        self._on_theme_changed()
        self._retranslate()
        self.hide()

    def set_entries(self, entries: Iterable[SearchEntry]) -> None:
        """Say what can be added."""
        self._entries = tuple(entries)
        if self.isVisible():
            self._search(self.field.text())

    def set_phrase_rule(self, rule: PhraseRule) -> None:
        """Say what a phrase would add."""
        self._phrase_rule = rule

    def ask_phrase(self) -> None:
        """Take all that is typed for a phrase, until the search is opened again."""
        self._is_phrase_asked = True
        self._search(self.field.text())

    def entry(self, key: str) -> SearchEntry | None:
        """Return what can be added by its key."""
        return next((entry for entry in self._entries if entry.key == key), None)

    def open_at(self, pixel: QPoint, spot: Spot) -> None:
        """Show the search near a pixel of the canvas; for a wire only what fits."""
        self._spot = spot
        self._is_phrase_asked = False
        self.field.clear()
        self._search("")
        room = self._canvas.rect()
        x = min(max(pixel.x() - 20, 4), max(room.width() - self.width() - 4, 4))
        y = min(max(pixel.y() - 16, 4), max(room.height() - self.height() - 4, 4))
        self.move(x, y)
        self._is_open = True
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def close_search(self) -> None:
        """Hide the search, and give the keys back to the canvas."""
        if self._is_open:
            self._is_open = False
            self._canvas.setFocus(Qt.FocusReason.PopupFocusReason)
            self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take the keys that choose, and close when the field loses the keys."""
        if watched is not self.field:
            return super().eventFilter(watched, event)
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            if event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_Return, Qt.Key.Key_Enter):
                event.accept()
                return True
        elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return self._key(event.key())
        elif _has_left(event):
            self._is_open = False
            self.hide()
        return super().eventFilter(watched, event)

    def changeEvent(self, event: QEvent) -> None:
        """Say everything anew in another language."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _key(self, key: int) -> bool:
        row, last = self.list.currentIndex().row(), self._model.rowCount() - 1
        page = max(self.list.height() // _ROW, 1)
        steps: dict[int, int] = {
            Qt.Key.Key_Down: 1,
            Qt.Key.Key_Up: -1,
            Qt.Key.Key_PageDown: page,
            Qt.Key.Key_PageUp: -page,
            Qt.Key.Key_Tab: 1,
            Qt.Key.Key_Backtab: -1,
        }
        if key in steps:
            self._choose(min(max(row + steps[key], 0), last))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._take_phrase() if self._phrase else self._take(self.list.currentIndex())
        elif key == Qt.Key.Key_Escape:
            self.close_search()
        else:
            return False
        return True

    def _search(self, query: str) -> None:
        fitting = [entry for entry in self._entries if self._spot.takes(entry)]
        self._model.show(ranked(fitting, query, self._usage))
        self._phrase = self._phrase_of(query)
        if self._phrase is not None:
            self.preview.show_phrase(self._phrase)
        self.preview.setVisible(self._phrase is not None)
        self.list.setVisible(self._phrase is None)
        self._choose(0)
        self._retranslate()
        self._resize()

    def _phrase_of(self, text: str) -> PhraseView | None:
        """Return what is typed as a phrase, where it is one."""
        if self._phrase_rule is None or self._spot.replaces:
            return None
        view = self._phrase_rule(text, self._spot)
        return view if view.is_phrase or self._is_phrase_asked else None

    def _take_phrase(self) -> None:
        if self._phrase is not None and self._phrase.is_ready():
            text = self.field.text()
            self.close_search()
            self.phrase_chosen.emit(text, self._spot)

    def _resize(self) -> None:
        """Be as high as what was found, up to a few rows."""
        rows = min(max(self._model.rowCount(), 1), _MOST_ROWS)
        self.list.setFixedHeight(rows * round(_ROW * text_scale()))
        self._column.activate()
        height = self.sizeHint().height()
        if self._phrase is not None:
            height = self._column.totalHeightForWidth(_WIDTH)
        self.resize(_WIDTH, height)

    def _choose(self, row: int) -> None:
        index = self._model.index(row, 0)
        self.list.setCurrentIndex(index)

    def _take(self, index: QModelIndex) -> None:
        entry = index.data(ENTRY)
        if isinstance(entry, SearchEntry):
            self._usage.used(entry.key)
            self.close_search()
            self.chosen.emit(entry.key, self._spot)

    def _retranslate(self) -> None:
        self.setAccessibleName(translate("Canvas", "Add a node"))
        self.field.setAccessibleName(translate("Canvas", "Search for a layer or operator"))
        self.list.setAccessibleName(translate("Canvas", "Search results"))
        self.field.setPlaceholderText(self._example())
        if self._phrase is not None:
            foot = translate("Canvas", "Correct the marked text · Esc to close")
            if not self._phrase.parts:
                foot = translate("Canvas", "Enter to add and connect · Esc to close")
            elif self._phrase.is_ready():
                count = len(self._phrase.parts)
                foot = translate("Canvas", "Enter to add the node · Esc to close")
                if count > 1:
                    foot = translate(
                        "Canvas", "Enter to add {count} connected nodes · Esc to close"
                    )
                foot = foot.format(count=count)
        elif self._model.rowCount():
            foot = translate("Canvas", "↑ ↓ to select · Enter to add · Esc to close")
            if self._spot.replaces:
                foot = translate("Canvas", "Replaces the node · Enter to replace · Esc to close")
            elif self._spot.wire is not None:
                foot = translate("Canvas", "Inserted into the wire · Enter to add · Esc to close")
            elif self._spot.end is not None and not self._spot.is_strict:
                foot = translate(
                    "Canvas", "↑ ↓ to select · Enter to add and connect · Esc to close"
                )
            elif self._spot.end is not None:
                foot = translate(
                    "Canvas", "Matches the wire · Enter to add and connect · Esc to close"
                )
        else:
            foot = translate("Canvas", "No results. Try another word, such as “conv”.")
        self._foot.setText(foot)

    def _example(self) -> str:
        if self._is_phrase_asked:
            return "conv 32 3 | relu | pool 2 | flatten | linear 10"
        if self._spot.replaces:
            return translate("Canvas", "Replace with…")
        if self._phrase_rule is not None:
            return translate("Canvas", "Add a layer, or several: conv 32 3 | relu | pool 2")
        return translate("Canvas", "Add a layer or operator…")

    def _on_theme_changed(self) -> None:
        theme = current_theme()
        self.setStyleSheet(
            f"SearchPopup {{ background: {theme.raised}; border: 1px solid {theme.strong_border};"
            f" border-radius: 9px; }} QListView {{ background: {theme.raised}; border: none; }}"
        )


def _has_left(event: QEvent) -> bool:
    """Return whether the keys went to something else in the window."""
    if not isinstance(event, QFocusEvent) or event.type() != QEvent.Type.FocusOut:
        return False
    return event.reason() not in _STAYING
