"""Panel in which a language model writes: how tokens are chosen, and the text as it comes."""

from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import (
    QDoubleSpinBox,
    QGridLayout,
    QPlainTextEdit,
    QSpinBox,
    QWidget,
)

from engine.query.generation.request import MOST_BEAMS, MOST_TOKENS, Sampling
from studio.i18n import translate
from widgets.common import parts
from widgets.common.plain_label import PlainLabel

_MOST_SEED, _MOST_TOP_K = 2**31 - 1, 1_000_000
_TEMPERATURE = 0.8
_IN_A_ROW = 3  # settings


@dataclass(frozen=True, kw_only=True)
class WritingView:
    """What the panel shows; nothing at all where the model writes no text."""

    is_offered: bool = False
    is_writing: bool = False
    attends: bool = False
    text: str = ""
    beams: str = ""
    note: str = ""
    error: str = ""


class WritingPanel(QWidget):
    """``start_requested`` asks for a text, ``stop_requested`` to leave it as it is,
    ``attention_requested`` to see where the model looks in the text on the left.
    """

    start_requested = Signal()
    stop_requested = Signal()
    attention_requested = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        parts.named(self, "playground.writing", translate("Playground", "Generation"))
        self._build_settings()
        self._build_text()
        fields = (self.beams, self.temperature, self.top_k, self.seed, self.tokens, self.stop)
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        for number, field in enumerate(fields):
            label = PlainLabel(field.accessibleName(), self)
            label.setBuddy(field)
            row, column = number // _IN_A_ROW, 2 * (number % _IN_A_ROW)
            grid.addWidget(label, row, column)
            grid.addWidget(field, row, column + 1)
        for column in range(_IN_A_ROW):
            grid.setColumnStretch(2 * column + 1, 1)
        buttons = parts.row(self.start, self.cancel, self.attention, (self.note, 1), spacing=8)
        items = (grid, buttons, self.error, (self.text, 1), (self.found, 1))
        parts.column(*items, margins=(14, 4, 14, 10), spacing=8, parent=self)

    def _build_settings(self) -> None:
        self.beams = self._number(
            "beams",
            translate("Playground", "Beams"),
            translate(
                "Playground",
                "From 2 on a beam search: this many texts grow side by side, and the likeliest as "
                "a whole is shown. Nothing is drawn then.",
            ),
            MOST_BEAMS,
        )
        self.beams.setMinimum(1)
        self.beams.setSpecialValueText(translate("Playground", "none"))
        self.beams.valueChanged.connect(self._enable_drawing)
        self.temperature = parts.named(
            QDoubleSpinBox(self),
            "playground.temperature",
            translate("Playground", "Temperature"),
            translate(
                "Playground",
                "Scores are divided by it: below 1 likely tokens become likelier, above 1 rare "
                "ones do. 0 always takes the likeliest token.",
            ),
        )
        self.temperature.setRange(0.0, 10.0)
        self.temperature.setSingleStep(0.1)
        self.temperature.setValue(_TEMPERATURE)
        text = translate("Playground", "Draw among this many of the likeliest tokens.")
        self.top_k = self._number("top_k", translate("Playground", "Top-k"), text, _MOST_TOP_K)
        self.top_k.setSpecialValueText(translate("Playground", "all"))
        text = translate("Playground", "The same seed and settings write the same text.")
        self.seed = self._number("seed", translate("Playground", "Seed"), text, _MOST_SEED)
        text = translate("Playground", "The largest number of tokens to write")
        self.tokens = self._number("tokens", translate("Playground", "Tokens"), text, MOST_TOKENS)
        self.tokens.setMinimum(1)
        self.tokens.setValue(Sampling().tokens)
        title = translate("Playground", "Stop at")
        tip = translate("Playground", "End before this text as soon as it is written.")
        self.stop = parts.line_edit(self, "playground.stop", title, tip=tip)

    def _build_text(self) -> None:
        self.start = parts.button(
            self,
            "playground.generate",
            translate("Playground", "Generate"),
            icon="play",
            tip=translate("Playground", "Continue the text on the left"),
            is_primary=True,
            clicked=self.start_requested,
        )
        self.cancel = parts.button(
            self,
            "playground.cancel",
            translate("Playground", "Stop"),
            icon="stop",
            tip=translate("Playground", "Stop and keep the text written so far"),
            clicked=self.stop_requested,
        )
        self.attention = parts.button(
            self,
            "playground.attention",
            translate("Playground", "Attention…"),
            tip=translate("Playground", "See where each head looks in the text on the left"),
            clicked=self.attention_requested,
        )
        self.note = parts.label(self, "playground.written.note", role="muted")
        title = translate("Playground", "Generation error")
        self.error = parts.label(self, "playground.written.error", title, role="error", wraps=True)
        title = translate("Playground", "Generated text")
        self.text = parts.named(QPlainTextEdit(self), "playground.written", title)
        self.text.setReadOnly(True)
        self.found = parts.named(
            QPlainTextEdit(self),
            "playground.beams.found",
            translate("Playground", "Texts of the beam search"),
            translate(
                "Playground",
                "The likeliest texts, each after the mean probability of its tokens (geometric).",
            ),
        )
        self.found.setReadOnly(True)
        self.found.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.found.hide()

    def _enable_drawing(self) -> None:
        for field in (self.temperature, self.top_k, self.seed):
            field.setEnabled(self.beams.value() == 1)

    def _number(self, name: str, title: str, tip: str, most: int) -> QSpinBox:
        number = parts.named(QSpinBox(self), f"playground.{name}", title, tip)
        number.setRange(0, most)
        return number

    def sampling(self) -> Sampling:
        """Return how tokens are to be chosen."""
        return Sampling(
            temperature=self.temperature.value(),
            top_k=self.top_k.value(),
            seed=self.seed.value(),
            tokens=self.tokens.value(),
            stop=self.stop.text(),
            beams=self.beams.value(),
        )

    def set_view(self, view: WritingView) -> None:
        """Show a text, or nothing where none is written."""
        self.setVisible(view.is_offered)
        self.start.setEnabled(not view.is_writing)
        self.cancel.setEnabled(view.is_writing)
        self.attention.setVisible(view.attends)
        self.note.setText(view.note)
        self.error.setText(view.error)
        self.error.setVisible(bool(view.error))
        self.found.setPlainText(view.beams)
        self.found.setVisible(bool(view.beams))
        shown = self.text.toPlainText()
        if view.text == shown:
            return
        if shown and view.text.startswith(shown):
            bar = self.text.verticalScrollBar()
            is_at_end = bar.value() == bar.maximum()
            cursor = QTextCursor(self.text.document())
            cursor.movePosition(QTextCursor.MoveOperation.End)
            cursor.insertText(view.text[len(shown) :])
            if is_at_end:
                bar.setValue(bar.maximum())
        else:
            self.text.setPlainText(view.text)
