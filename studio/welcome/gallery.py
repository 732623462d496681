"""Gallery of examples on the welcome page: cards by group, found by their words."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import (
    QButtonGroup,
    QGridLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QWidget,
)
from typing_extensions import override

from studio.i18n import translate
from widgets.common import parts
from widgets.common.text import plain_tip
from widgets.common.theme import scaled_font

PICTURE = QSize(240, 88)
_CARD = QSize(264, 236)  # the least; those of a group are as high as its longest text needs
_GAP = 14


@dataclass(frozen=True, kw_only=True)
class CardView:
    """One template: ``picture`` makes the picture of its graph, when the card comes to the eye;
    ``note`` is small print (task, duration); ``words`` are what it is found by besides, such as its
    title in the other language.
    """

    name: str
    title: str
    text: str
    note: str
    picture: Callable[[], QPixmap]
    words: str = ""


@dataclass(frozen=True, kw_only=True)
class GroupView:
    """Cards that stand together under a title."""

    name: str
    title: str
    cards: tuple[CardView, ...]


class Gallery(QWidget):
    """Cards in groups, as many in a row as there is room for, and switches to show one group.

    ``field`` searches them; the page puts it beside its heading.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("welcome.examples")
        self.setAccessibleName(translate("Welcome", "Examples"))
        title = translate("Welcome", "Search the examples")
        self.field = parts.line_edit(
            self, "welcome.search", title, placeholder=title, is_clearable=True
        )
        self.field.setToolTip(
            plain_tip(
                translate(
                    "Welcome",
                    "Search titles and descriptions. Press Enter to open the first result.",
                )
            )
        )
        self.field.setFixedWidth(_CARD.width())
        self.field.textChanged.connect(self._on_words_changed)
        self.field.returnPressed.connect(self._choose_first)
        self._nothing = parts.label(
            self,
            "welcome.search.nothing",
            text=translate("Welcome", "No matching examples."),
            role="muted",
        )
        self._groups: list[_Group] = []
        self._waiting: list[tuple[GroupView, QPushButton]] = []
        self._width = 0
        self._switches = QButtonGroup(self)
        self._switches.buttonClicked.connect(self._show_wanted)
        self._line = parts.row(None, spacing=4)
        self._all = self._build_switch("all", translate("Welcome", "All"))
        self._all.setChecked(True)
        self._column = parts.column(
            self._line, self._nothing, None, margins=(0, 0, 0, 0), spacing=10, parent=self
        )

    def set_groups(self, groups: Sequence[GroupView]) -> None:
        """Show other examples: the first group at once, the others one after the other once the
        page is painted, for most are below its edge.
        """
        for group in self._groups:
            group.switch.deleteLater()
            group.deleteLater()
        for _, switch in self._waiting:
            switch.deleteLater()
        self._groups = []
        self._waiting = [(view, self._build_switch(view.name, view.title)) for view in groups]
        self._all.setChecked(True)
        self._build_one()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._waiting:
            QTimer.singleShot(0, self, self._build_next)

    def _build_next(self) -> None:
        """Build a group; a page that has one more is painted again, which asks for the next."""
        self._build_one()
        self.update()

    def _build_one(self) -> None:
        if self._waiting:
            view, switch = self._waiting.pop(0)
            group = _Group(view, switch, self)
            self._groups.append(group)
            self._column.insertWidget(self._column.count() - 1, group)
            for card in group.cards:
                card.clicked.connect(lambda _=False, name=card.view.name: self.chosen.emit(name))
        self._flow()

    def forget_pictures(self) -> None:
        """Have the pictures on the cards made anew (another theme)."""
        for group in self._groups:
            for card in group.cards:
                card.picture.forget()

    def set_room(self, width: int) -> None:
        """Use a width for rows of cards."""
        if width != self._width:
            self._width = width
            self._flow()

    def _build_switch(self, name: str, title: str) -> QPushButton:
        switch = parts.button(self, f"welcome.show.{name}", title)
        switch.setToolTip(translate("Welcome", "Show {examples}").format(examples=title))
        switch.setCheckable(True)
        switch.setProperty("chip", "true")
        self._switches.addButton(switch)
        self._line.insertWidget(self._line.count() - 1, switch)
        return switch

    def _on_words_changed(self) -> None:
        self._all.setChecked(True)  # what is looked for may be in any group
        self._show_wanted()

    def _show_wanted(self) -> None:
        while self._waiting:
            self._build_one()
        self._flow()

    def _flow(self) -> None:
        columns = max(1, (self._width + _GAP) // (_CARD.width() + _GAP))
        words = self.field.text().casefold().split()
        for group in self._groups:
            group.is_wanted = self._all.isChecked() or group.switch.isChecked()
        found = [group.flow(columns, words) for group in self._groups]
        self._nothing.setVisible(bool(words) and not any(found))

    def _choose_first(self) -> None:
        if not self.field.text().strip():
            return
        shown = (card for group in self._groups for card in group.cards if not card.isHidden())
        card = next(shown, None)
        if card is not None:
            self.chosen.emit(card.view.name)


class _Group(QWidget):
    def __init__(self, view: GroupView, switch: QPushButton, parent: QWidget) -> None:
        super().__init__(parent)
        self.switch = switch
        self.is_wanted = True
        self.setObjectName(f"welcome.group.{view.name}")
        self.setAccessibleName(view.title)
        title = parts.label(self, f"welcome.group.{view.name}.title", text=view.title, role="muted")
        title.setFont(scaled_font(1.0, bold=True))
        self.cards = [_Card(card, self) for card in view.cards]
        height = max((card.needed_height() for card in self.cards), default=0)
        for card in self.cards:
            card.setFixedSize(_CARD.expandedTo(QSize(0, height)))
        self._placed: tuple[int, list[_Card]] = (0, [])
        self._grid = QGridLayout()
        self._grid.setSpacing(_GAP)
        parts.column(title, self._grid, margins=(0, 4, 0, 8), spacing=8, parent=self)

    def flow(self, columns: int, words: Sequence[str]) -> bool:
        """Show the cards that have all words if the group is wanted; return whether any is."""
        shown = [card for card in self.cards if self.is_wanted and card.has(words)]
        if self._placed != (columns, shown):
            self._placed = (columns, shown)
            for card in self.cards:
                self._grid.removeWidget(card)
                card.setVisible(card in shown)
            for index, card in enumerate(shown):
                self._grid.addWidget(card, index // columns, index % columns)
            for column in range(self._grid.columnCount()):
                self._grid.setColumnStretch(column, 0)
            self._grid.setColumnStretch(columns, 1)
        self.setVisible(bool(shown))
        return bool(shown)


def _as_high_as_needed() -> QSizePolicy:
    policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
    policy.setHeightForWidth(True)
    return policy


class _Picture(QLabel):
    """Asks for its picture when it is painted first: most cards are below the edge of the page."""

    def __init__(self, make: Callable[[], QPixmap], parent: QWidget) -> None:
        super().__init__(parent)
        self._make = make
        self._picture: QPixmap | None = None
        self.setFixedHeight(PICTURE.height())

    def forget(self) -> None:
        """Ask for the picture again."""
        self._picture = None
        self.update()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        if self._picture is None:
            self._picture = self._make()
        painter = QPainter(self)
        painter.drawPixmap((self.width() - PICTURE.width()) // 2, 0, self._picture)
        painter.end()


class _Card(QPushButton):
    def __init__(self, view: CardView, parent: QWidget) -> None:
        super().__init__(parent)
        self.view = view
        self._words = f"{view.title} {view.text} {view.note} {view.words}".casefold()
        self.setObjectName(f"welcome.template.{view.name}")
        self.setAccessibleName(view.title)
        self.setAccessibleDescription(view.text)
        self.setToolTip(plain_tip(view.text))
        self.setProperty("card", "true")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        name = f"welcome.template.{view.name}.part"
        self.picture = parts.named(_Picture(view.picture, self), name, view.title)
        title = parts.label(self, name, view.title, view.title, wraps=True)
        title.setFont(scaled_font(1.08, bold=True))
        title.setSizePolicy(_as_high_as_needed())
        text = parts.label(self, name, view.title, view.text, role="muted", wraps=True)
        text.setAlignment(Qt.AlignmentFlag.AlignTop)
        note = parts.label(self, name, view.title, view.note, role="muted")
        note.setFont(scaled_font(0.9))
        parts.column(
            self.picture, title, (text, 1), note, margins=(12, 12, 12, 10), spacing=4, parent=self
        )
        self._labels = (title, text, note)
        for label in (self.picture, *self._labels):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def needed_height(self) -> int:
        """Return how high a card is that shows all of its text."""
        for label in self._labels:
            label.ensurePolished()  # the size of its letters is that of the style
        layout = self.layout()
        assert layout is not None
        return layout.totalHeightForWidth(_CARD.width())

    def has(self, words: Sequence[str]) -> bool:
        """Return whether all words are somewhere on the card; they are in lower case."""
        return all(word in self._words for word in words)
