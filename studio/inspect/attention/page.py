"""Page on which one types a text and sees where the heads of a model look in it."""

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QPlainTextEdit, QScrollArea, QVBoxLayout, QWidget

from studio.i18n import translate
from studio.inspect.attention.presenter import AttentionView
from studio.inspect.bar import bar, pane
from studio.run_choice.bar import RunChoice
from studio.window.page import PageWidget
from widgets.common import parts
from widgets.common.plain_label import PlainLabel
from widgets.common.theme import scaled_font
from widgets.plots.color_scale import ColorScale
from widgets.plots.head_grid import HeadGrid, HeadRow
from widgets.plots.token_matrix import TokenMatrix, TokenMatrixView, state_color, weight_color

_TEXT_HEIGHT = 76  # pixels


class AttentionPage(PageWidget):
    """``typed`` carries the texts, ``head_chosen`` the numbers of layer and head from 0,
    ``example_requested`` asks for a sample of the data.
    """

    typed = Signal(tuple)
    head_chosen = Signal(int, int)
    example_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("inspect.attention", translate("Attention", "Attention"), parent)
        self._fields: tuple[str, ...] = ()
        self._matrix: TokenMatrixView | None = None
        self._heads: tuple[HeadRow, ...] = ()
        self.edits: list[QPlainTextEdit] = []

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps."""
        column = self.add_column()
        column.addWidget(self._build_bar())
        yield
        title = translate("Attention", "Text, heads and weights")
        self._halves = parts.splitter(self, "attention.splitter", title)
        column.addWidget(self._halves, 1)
        self._build_left()
        yield
        self._build_right()
        self._halves.setSizes([300, 860])
        yield
        title = translate("Attention", "No attention")
        self.add_empty(column, "inspect", "attention.empty", title, instead_of=(self._halves,))

    def set_view(self, view: AttentionView) -> None:
        """Show texts, the pictures of all heads, and the weights of one."""
        self.set_empty(view.empty)
        self.example.setEnabled(view.empty is None)
        if view.fields != self._fields:
            self._fields = view.fields
            self._build_texts(view.fields)
        for edit, text in zip(self.edits, view.texts, strict=False):
            if edit.toPlainText() != text:
                with QSignalBlocker(edit):
                    edit.setPlainText(text)
        if view.heads is not self._heads:
            self._heads = view.heads
            self.heads.set_heads(view.heads, view.chosen)
            row = self.heads.picture_rect(*view.chosen).toRect()
            self._scroll.ensureVisible(row.center().x(), row.center().y(), 40, 40)
        if view.matrix is not self._matrix:
            self._matrix = view.matrix
            self.matrix.set_view(view.matrix)
        self.title.setText(view.title)
        is_signed = view.matrix.is_signed
        span = (-view.scale if is_signed else 0.0, view.scale)
        color = _signed_color if is_signed else weight_color
        self.scale.set_span(span if view.scale else None, color=color)
        self.note.setText(view.note)
        self.error.setText(view.error)
        self.error.setVisible(bool(view.error))

    def texts(self) -> tuple[str, ...]:
        """Return the texts that stand in the fields."""
        return tuple(edit.toPlainText() for edit in self.edits)

    def _build_bar(self) -> QWidget:
        self.choice = RunChoice("attention", self)
        self.example = parts.button(
            self,
            "attention.example",
            translate("Attention", "Sample"),
            icon="data",
            tip=translate("Attention", "Use a sample of the training data"),
            clicked=self.example_requested,
        )
        title = translate("Attention", "Head that is shown")
        self.title = parts.label(self, "attention.title", title)
        self.title.setFont(scaled_font(1.1, bold=True))
        title = translate("Attention", "Model to look into")
        return bar(self, "attention.bar", title, self.choice, self.example, (self.title, 1))

    def _build_left(self) -> None:
        title = translate("Attention", "Texts")
        self._texts = parts.named(QWidget(self), "attention.texts", title)
        self._lines = QVBoxLayout(self._texts)
        self._lines.setContentsMargins(0, 0, 0, 0)
        title = translate("Attention", "Input error")
        self.error = parts.label(self, "attention.error", title, role="error", wraps=True)
        title = translate("Attention", "Heads")
        label = PlainLabel(title, self)
        self.heads = HeadGrid("attention.heads")
        self.heads.head_chosen.connect(self.head_chosen)
        label.setBuddy(self.heads)
        self._scroll = parts.named(QScrollArea(self), "attention.scroll", title)
        self._scroll.setProperty("frameless", "true")
        self._scroll.setWidgetResizable(True)
        self._scroll.setWidget(self.heads)
        left = parts.named(QWidget(self._halves), "attention.left", title)
        items = (self._texts, self.error, label, (self._scroll, 1))
        parts.column(*items, margins=(14, 6, 6, 10), spacing=6, parent=left)

    def _build_right(self) -> None:
        title = translate("Attention", "Weights")
        self.matrix = TokenMatrix("attention.matrix", self)
        self.note = parts.label(self, "attention.note", title, role="muted", wraps=True)
        self.scale = ColorScale("attention.scale", self)
        below = parts.row((self.note, 1), self.scale, margins=(8, 0, 8, 6), spacing=8)
        items = ((self.matrix, 1), below)
        pane(self._halves, "attention.weights", title, *items)

    def _build_texts(self, fields: Sequence[str]) -> None:
        """Offer a place for each text."""
        while (item := self._lines.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        self.edits = []
        for number, name in enumerate(fields):
            edit = parts.named(QPlainTextEdit(self._texts), f"attention.text.{number}", name)
            edit.setTabChangesFocus(True)
            edit.setFixedHeight(_TEXT_HEIGHT)
            edit.setPlaceholderText(translate("Attention", "Type a text"))
            edit.textChanged.connect(self._tell_typed)
            label = PlainLabel(name, self._texts)
            label.setBuddy(edit)
            self._lines.addWidget(label)
            self._lines.addWidget(edit)
            self.edits.append(edit)

    def _tell_typed(self) -> None:
        self.typed.emit(self.texts())


def _signed_color(share: float) -> QColor:
    return state_color(2 * share - 1)
