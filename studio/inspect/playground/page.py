"""Page on which a trained model is tried: draw, drop a picture, type numbers or a sentence."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import (
    QCheckBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from studio.i18n import translate
from studio.inspect.playground.presenter import EntryView, ReadingView
from studio.inspect.run_choice.bar import RunChoice
from studio.window.page import PageWidget
from widgets.common import parts
from widgets.common.plain_label import PlainLabel
from widgets.common.text import plain_tip
from widgets.common.theme import scaled_font
from widgets.images.draw_pad import DrawPad
from widgets.plots.bar_chart import BarChart
from widgets.plots.view_model import BarsView


class PlaygroundPage(PageWidget):
    """Takes input for the model; ``changed`` comes with every change of it. ``picture_offered``
    names a file that was dropped on the pad or elsewhere in the window.
    """

    changed = Signal()
    picture_offered = Signal(str)
    example_requested = Signal()
    open_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("inspect.playground", translate("Playground", "Playground"), parent)

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps."""
        column = self.add_column()
        self._bar = QWidget(self)
        self._bar.setObjectName("playground.bar")
        self._bar.setAccessibleName(translate("Playground", "Model to try"))
        self._fill_bar(QHBoxLayout(self._bar))
        column.addWidget(self._bar)
        yield
        self._whole = QSplitter(Qt.Orientation.Horizontal, self)
        self._whole.setObjectName("playground.splitter")
        self._whole.setAccessibleName(translate("Playground", "Input and prediction"))
        self._whole.setChildrenCollapsible(False)
        column.addWidget(self._whole, 1)
        self._build_input()
        yield
        right = QWidget(self._whole)
        right.setObjectName("playground.answer")
        right.setAccessibleName(translate("Playground", "Prediction"))
        self.answer = PlainLabel(right)
        self.answer.setObjectName("playground.told")
        self.answer.setAccessibleName(translate("Playground", "Prediction"))
        self.answer.setFont(scaled_font(1.6, bold=True))
        self.answer.setContentsMargins(14, 10, 14, 4)
        self.answer.setWordWrap(True)
        self.bars = BarChart("playground.bars", right)
        inner = QVBoxLayout(right)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.addWidget(self.answer)
        inner.addWidget(self.bars, 1)
        self._whole.setSizes([520, 640])
        yield
        title = translate("Playground", "No model yet")
        self.add_empty(column, "inspect", "playground.empty", title, instead_of=(self._whole,))

    def show_pad(self, shape: tuple[int, int, int] | None) -> None:
        """Offer to draw pictures of that shape, or not."""
        self._drawing.setVisible(shape is not None)
        if shape is not None:
            self.pad.set_shape(shape)

    def set_picture(self, image: QImage) -> None:
        """Put a picture on the pad."""
        self.pad.set_image(image)

    def pixels(self) -> NDArray[np.float32]:
        """Return what is drawn, from 0 to 1."""
        return self.pad.pixels()

    def set_example(self, *, is_there: bool) -> None:
        """Let a sample of the data be taken, where there is one."""
        self.example.setEnabled(is_there)

    def show_entries(self, entries: Sequence[EntryView]) -> None:
        """Offer lines to type numbers or sentences into."""
        while self._form.rowCount():
            self._form.removeRow(0)
        self._edits: list[QLineEdit] = []
        for view in entries:
            edit = QLineEdit(view.text, self._lines)
            edit.setObjectName(f"playground.entry.{view.key}")
            edit.setAccessibleName(view.title)
            edit.setToolTip(plain_tip(view.help))
            if view.words:
                edit.setPlaceholderText(translate("Playground", "Type a sentence"))
            edit.textChanged.connect(self.changed)
            label = PlainLabel(view.title, self._lines)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setBuddy(edit)
            self._form.addRow(label, edit)
            self._edits.append(edit)
        self._scroll.setVisible(bool(entries))
        self.show_reading(ReadingView())

    def show_reading(self, view: ReadingView) -> None:
        """Say how typed sentences are read."""
        self._reading.setText(view.text)
        self._reading.setToolTip(plain_tip(view.numbers))
        self._reading.setVisible(bool(view.text))

    def texts(self) -> tuple[str, ...]:
        """Return what stands in the lines."""
        return tuple(edit.text() for edit in self._edits)

    def set_texts(self, texts: Sequence[str]) -> None:
        """Write into the lines."""
        for edit, text in zip(self._edits, texts, strict=True):
            edit.setText(text)

    def show_answer(self, text: str, bars: BarsView, step: int | None = None) -> None:
        """Show what the model says, with the weights of a step: a run may write newer ones before
        the model is asked again.
        """
        mode = translate("Playground", "eval mode, no gradients")
        of_step = translate("Playground", "weights of step {step}, eval mode, no gradients")
        self._note.setText(mode if step is None else of_step.format(step=f"{step:,}"))
        self._error.clear()
        self.answer.setText(text)
        self.bars.set_view(bars)
        self.bars.setVisible(bool(bars.labels))

    def show_batch(self, text: str) -> None:
        """Say how one sample becomes the batch that the model expects."""
        self._batch.setText(text)
        self._batch.setVisible(bool(text))

    def show_error(self, text: str) -> None:
        """Say why the model cannot be asked, or did not answer."""
        self.show_answer("", BarsView(labels=(), values=()))
        self._error.setText(text)

    def _fill_bar(self, row: QHBoxLayout) -> None:
        row.setContentsMargins(12, 10, 12, 4)
        row.setSpacing(8)
        self.choice = RunChoice("playground", self)
        self.example = self._button(
            "example",
            "data",
            translate("Playground", "Sample"),
            translate("Playground", "Use a sample of the training data"),
        )
        self.example.clicked.connect(self.example_requested)
        self._note = PlainLabel(translate("Playground", "eval mode, no gradients"), self)
        self._note.setObjectName("playground.note")
        self._note.setAccessibleName(self._note.text())
        self._note.setProperty("role", "muted")
        self._note.setToolTip(
            translate(
                "Playground",
                "Dropout is off, batch norm uses its running statistics, and "
                "torch.no_grad() builds no graph. The input is normalized as in training.",
            )
        )
        row.addWidget(self.choice)
        row.addWidget(self.example)
        row.addWidget(self._note, 1)

    def _build_input(self) -> None:
        left = QWidget(self._whole)
        left.setObjectName("playground.input")
        left.setAccessibleName(translate("Playground", "Input"))
        column = QVBoxLayout(left)
        column.setContentsMargins(14, 10, 14, 10)
        column.setSpacing(8)
        self._drawing = QWidget(left)
        self._drawing.setObjectName("playground.drawing")
        self._drawing.setAccessibleName(translate("Playground", "Image"))
        self._fill_drawing(QVBoxLayout(self._drawing))
        column.addWidget(self._drawing)
        self._lines = QWidget()
        self._lines.setObjectName("playground.lines")
        self._lines.setAccessibleName(translate("Playground", "Text input"))
        self._form = QFormLayout()
        self._edits = []
        title = translate("Playground", "How words are encoded")
        self._reading = self._note_label("reading", title, self._lines)
        typed = QVBoxLayout(self._lines)
        typed.addLayout(self._form)
        typed.addWidget(self._reading)
        typed.addStretch()
        self._scroll = QScrollArea(left)
        self._scroll.setObjectName("playground.scroll")
        self._scroll.setAccessibleName(translate("Playground", "Text input"))
        self._scroll.setWidgetResizable(True)
        self._scroll.setProperty("frameless", "true")
        self._scroll.setWidget(self._lines)
        column.addWidget(self._scroll, 1)
        title = translate("Playground", "Batch")
        self._batch = self._note_label("batch", title, left)
        title = translate("Playground", "Input error")
        self._error = self._note_label("error", title, left, role="error")
        for label in (self._batch, self._error):
            column.addWidget(label)
        column.addStretch()

    def _note_label(self, name: str, title: str, parent: QWidget, role: str = "muted") -> QLabel:
        return parts.label(parent, f"playground.{name}", title, role=role, wraps=True)

    def _fill_drawing(self, column: QVBoxLayout) -> None:
        column.setContentsMargins(0, 0, 0, 0)
        self.pad = DrawPad("playground.pad", self._drawing)
        self.pad.changed.connect(self.changed)
        self.pad.file_dropped.connect(self.picture_offered)
        column.addWidget(self.pad)
        row = QHBoxLayout()
        row.setSpacing(8)
        clear = self._button(
            "clear",
            "delete",
            translate("Playground", "Clear"),
            translate("Playground", "Clear the pad (Delete)"),
        )
        clear.clicked.connect(self.pad.clear)
        opened = self._button(
            "open",
            "image",
            translate("Playground", "Open…"),
            translate("Playground", "Open an image file, or drop one on the pad"),
        )
        opened.clicked.connect(self.open_requested)
        invert = self._button(
            "invert",
            "moon",
            translate("Playground", "Invert"),
            translate("Playground", "Invert light and dark"),
        )
        invert.clicked.connect(self.pad.set_inverted)
        self.fitted = QCheckBox(translate("Playground", "Fit to frame"), self._drawing)
        self.fitted.setObjectName("playground.fitted")
        self.fitted.setAccessibleName(self.fitted.text())
        self.fitted.setToolTip(
            translate(
                "Playground",
                "Center and scale the drawing like the digits in MNIST",
            )
        )
        self.fitted.setChecked(True)
        self.fitted.toggled.connect(lambda on: self.pad.set_fitted(is_fitted=on))
        for widget in (clear, opened, invert, self.fitted):
            row.addWidget(widget)
        row.addStretch(1)
        column.addLayout(row)

    def _button(self, name: str, icon: str, text: str, tip: str) -> QPushButton:
        return parts.button(self, f"playground.{name}", text, icon=icon, tip=tip)
