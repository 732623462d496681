"""Page on which a trained model is tried: draw, drop a picture, type numbers or a sentence."""

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import (
    QFormLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QWidget,
)

from studio.i18n import translate
from studio.inspect.bar import bar, pane
from studio.inspect.playground.category_edit import CategoryEdit
from studio.inspect.playground.latent_panel import LatentPanel
from studio.inspect.playground.pictures_panel import PicturesPanel
from studio.inspect.playground.presenter import EntryView, PlaygroundView, ReadingView
from studio.inspect.playground.samples_panel import SamplesPanel
from studio.inspect.playground.series_edit import SeriesEdit
from studio.inspect.playground.writing_panel import WritingPanel
from studio.run_choice.bar import RunChoice
from studio.window.page import PageWidget
from widgets.common import parts
from widgets.common.plain_label import PlainLabel
from widgets.common.text import plain_tip
from widgets.common.theme import scaled_font
from widgets.images.draw_pad import DrawPad
from widgets.images.file_panel import FilePanel
from widgets.images.overlay_picture import OverlayPicture
from widgets.images.view_model import ImageView
from widgets.plots.bar_chart import BarChart
from widgets.plots.view_model import BarsView


class PlaygroundPage(PageWidget):
    """Takes input for the model: ``drawn`` carries the pixels of the pad and whether they are those
    of a picture as it was put there, ``typed`` the texts of the lines. ``picture_offered`` names a
    file that was dropped on the pad or elsewhere in the window, ``file_offered`` one that was
    dropped on the picture of the sound or the video, ``further_offered`` the field of a further
    picture and a file for it.
    """

    drawn = Signal(object, bool)
    typed = Signal(tuple)
    picture_offered = Signal(str)
    example_requested = Signal()
    open_requested = Signal()
    file_offered = Signal(str)
    file_requested = Signal()
    further_offered = Signal(str, str)
    further_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("inspect.playground", translate("Playground", "Playground"), parent)
        self._made_for: tuple[object, ...] | None = None
        self._picture: object = None
        self._further: object = None
        self._played: ImageView | None = None
        self._bars = BarsView(labels=(), values=())
        self._edits: list[QLineEdit | SeriesEdit | CategoryEdit] = []

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps."""
        column = self.add_column()
        column.addWidget(self._build_bar())
        yield
        title = translate("Playground", "Input and prediction")
        self._halves = parts.splitter(self, "playground.splitter", title)
        column.addWidget(self._halves, 1)
        self._build_input()
        yield
        title = translate("Playground", "Prediction")
        self.answer = parts.label(self, "playground.told", title, wraps=True)
        self.answer.setFont(scaled_font(1.6, bold=True))
        self.answer.setContentsMargins(14, 10, 14, 4)
        self.writing = WritingPanel(self)
        self.samples = SamplesPanel(self)
        self.latent = LatentPanel(self)
        self.masked = OverlayPicture("playground.mask", self)
        self.masked.setAccessibleName(translate("Playground", "Predicted mask"))
        self.bars = BarChart("playground.bars", self)
        items = (
            self.answer,
            (self.writing, 2),
            (self.samples, 3),
            (self.latent, 3),
            (self.masked, 2),
            (self.bars, 1),
        )
        pane(self._halves, "playground.answer", title, *items, spacing=None)
        self._halves.setSizes([520, 640])
        yield
        title = translate("Playground", "No model yet")
        self.add_empty(column, "inspect", "playground.empty", title, instead_of=(self._halves,))

    def set_view(self, view: PlaygroundView) -> None:
        """Show what is put into the model and what it answers; the pad keeps what is drawn on it
        until there is another picture.
        """
        self.set_empty(view.empty)
        self.example.setEnabled(view.can_take_example)
        self._left.setVisible(view.is_fed)
        self.example.setVisible(view.is_fed)
        self.answer.setVisible(view.is_fed)
        if (view.entries, view.shape) != self._made_for:
            self._made_for = (view.entries, view.shape)
            self._show_entries(view.entries)
            self._drawing.setVisible(view.shape is not None)
            if view.shape is not None:
                self.pad.set_shape(view.shape)
        for edit, text in zip(self._edits, view.texts, strict=False):
            if edit.text() != text:
                with QSignalBlocker(edit):
                    edit.setText(text)
        if view.picture is not None and view.picture is not self._picture:
            self._picture = view.picture
            self.pad.set_image(view.picture)
        self.pad_name.setText(view.picture_name)
        self.pad_name.setVisible(bool(view.picture_name))
        if view.further is not self._further:
            self._further = view.further
            self.pictures.set_pictures(view.further)
        if view.played is not self._played:
            self._played = view.played
            self.played.set_image(view.played)
            self.played_name.setText(view.played.label if view.played is not None else "")
            video, sound = translate("Playground", "Video"), translate("Playground", "Sound")
            self.played.setAccessibleName(video if view.is_video else sound)
        self._playing.setVisible(view.played is not None)
        self._show_reading(view.reading)
        self.batch.setText(view.batch)
        self.batch.setVisible(bool(view.batch))
        self.note.setText(view.note)
        self.error.setText(view.error)
        self.answer.setText(view.answer)
        if view.bars != self._bars:
            self._bars = view.bars
            self.bars.set_view(view.bars)
        self.bars.setVisible(bool(view.bars.labels))
        self.masked.set_image(view.mask)
        self.masked.setVisible(view.mask is not None)

    def texts(self) -> tuple[str, ...]:
        """Return what stands in the lines."""
        return tuple(edit.text() for edit in self._edits)

    def _show_entries(self, entries: Sequence[EntryView]) -> None:
        """Offer lines to type numbers or sentences into."""
        while self._form.rowCount():
            self._form.removeRow(0)
        self._edits = []
        for view in entries:
            if view.columns:
                self._add_series(view)
                continue
            edit = self._edit(view)
            edit.textChanged.connect(lambda _: self.typed.emit(self.texts()))
            label = PlainLabel(view.title, self._lines)
            label.setBuddy(edit)
            self._form.addRow(label, edit)
            self._edits.append(edit)
        self._lines.setVisible(bool(entries))

    def _edit(self, view: EntryView) -> QLineEdit | CategoryEdit:
        name = f"playground.entry.{view.key}"
        if view.choices:
            edit = CategoryEdit(name, view.title, view.choices, view.help, self._lines)
            edit.setText(view.text)
            return edit
        hint = translate("Playground", "Type a sentence") if view.words else ""
        return parts.line_edit(
            self._lines, name, view.title, view.text, placeholder=hint, tip=view.help
        )

    def _add_series(self, view: EntryView) -> None:
        name = f"playground.entry.{view.key}"
        edit = SeriesEdit(name, view.title, view.columns, view.help, self._lines)
        edit.setText(view.text)
        edit.textChanged.connect(lambda _: self.typed.emit(self.texts()))
        self._form.addRow(edit)
        self._edits.append(edit)

    def _show_reading(self, view: ReadingView) -> None:
        """Say how typed sentences are read."""
        self._reading.setText(view.text)
        self._reading.setToolTip(plain_tip(view.numbers))
        self._reading.setVisible(bool(view.text))

    def _build_bar(self) -> QWidget:
        self.choice = RunChoice("playground", self)
        self.example = self._button(
            "example",
            "data",
            translate("Playground", "Sample"),
            translate("Playground", "Use a sample of the training data"),
        )
        self.example.clicked.connect(self.example_requested)
        self.note = parts.label(
            self,
            "playground.note",
            text=translate("Playground", "eval mode, no gradients"),
            role="muted",
        )
        self.note.setToolTip(
            plain_tip(
                translate(
                    "Playground",
                    "Dropout is off, batch norm uses its running statistics, and "
                    "torch.no_grad() builds no graph. The input is normalized as in training.",
                )
            )
        )
        title = translate("Playground", "Model to try")
        return bar(self, "playground.bar", title, self.choice, self.example, (self.note, 1))

    def _build_input(self) -> None:
        title = translate("Playground", "Input")
        self._left = parts.named(QScrollArea(self._halves), "playground.scroll", title)
        self._left.setWidgetResizable(True)
        self._left.setProperty("frameless", "true")
        left = parts.named(QWidget(self._left), "playground.input", title)
        title = translate("Playground", "Image")
        self._drawing = parts.named(QWidget(left), "playground.drawing", title)
        self._fill_drawing()
        title = translate("Playground", "Text input")
        self._lines = parts.named(QWidget(left), "playground.lines", title)
        self._form = QFormLayout()
        hint = translate("Playground", "How words are encoded")
        self._reading = self._note_label("reading", hint, self._lines)
        parts.column(self._form, self._reading, None, parent=self._lines)
        self.batch = self._note_label("batch", translate("Playground", "Batch"), left)
        title = translate("Playground", "Input error")
        self.error = self._note_label("error", title, left, role="error")
        self._build_played(left)
        self.pictures = PicturesPanel(left)
        self.pictures.file_offered.connect(self.further_offered)
        self.pictures.file_requested.connect(self.further_requested)
        self.pictures.hide()
        played = (self.pictures, (self._playing, 2))
        items = (self._drawing, *played, (self._lines, 1), self.batch, self.error)
        parts.column(*items, margins=(14, 10, 14, 10), spacing=8, parent=left).addStretch()
        self._left.setWidget(left)

    def _build_played(self, parent: QWidget) -> None:
        title = translate("Playground", "Sound")
        self._playing = parts.named(QWidget(parent), "playground.playing", title)
        self.played = FilePanel("playground.played", self._playing)
        self.played.file_dropped.connect(self.file_offered)
        self.played_name = parts.label(self._playing, "playground.played.name", role="muted")
        opened = self._button(
            "played.open",
            "folder",
            translate("Playground", "Open…"),
            translate("Playground", "Open a file, or drop one on the picture"),
        )
        opened.clicked.connect(self.file_requested)
        row = parts.row(opened, (self.played_name, 1), spacing=8)
        parts.column((self.played, 1), row, margins=(0, 0, 0, 0), parent=self._playing)

    def _note_label(self, name: str, title: str, parent: QWidget, role: str = "muted") -> QLabel:
        return parts.label(parent, f"playground.{name}", title, role=role, wraps=True)

    def _fill_drawing(self) -> None:
        self.pad = DrawPad("playground.pad", self._drawing)
        self.pad.changed.connect(lambda: self.drawn.emit(self.pad.pixels(), self.pad.is_untouched))
        self.pad.file_dropped.connect(self.picture_offered)
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
        self.fitted = parts.check_box(
            self._drawing,
            "playground.fitted",
            translate("Playground", "Fit to frame"),
            translate("Playground", "Center and scale the drawing like the digits in MNIST"),
        )
        self.fitted.setChecked(True)
        self.fitted.toggled.connect(lambda on: self.pad.set_fitted(is_fitted=on))
        buttons = parts.row(clear, opened, invert, self.fitted, None, spacing=8)
        title = translate("Playground", "Name of the image")
        self.pad_name = parts.label(self._drawing, "playground.pad.name", title)
        self.pad_name.hide()
        items = (self.pad_name, self.pad, buttons)
        parts.column(*items, margins=(0, 0, 0, 0), parent=self._drawing)

    def _button(self, name: str, icon: str, text: str, tip: str) -> QPushButton:
        return parts.button(self, f"playground.{name}", text, icon=icon, tip=tip)
