"""Playground: what is drawn or typed goes to the model, its answer comes back at once."""

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFileDialog

from engine.diagnostics import sentence
from engine.query.results.request import DescribeModel, ModelInput, ModelInputs, Predict, Prediction
from engine.sandbox.answer import Picture
from engine.sandbox.reading import read_picture
from studio.i18n import translate
from studio.inspect.playground.page import PlaygroundPage
from studio.inspect.playground.presenter import (
    EntryError,
    batch_text,
    drawn_values,
    entries,
    example_pixels,
    example_texts,
    pad_field,
    present_answer,
    present_reading,
    typed_values,
)
from studio.inspect.run_choice.controller import RunChooser
from studio.process.thread_handover import ThreadHandover
from studio.run_control.controller import RunController
from studio.session.analyst import Host
from studio.session.session import Session
from studio.window.notifications import Notifications
from studio.window.page import EmptyView
from widgets.common.throttle import SeenThrottle

_ASK_MS = 60
_RENEW_MS = 2000  # a run that writes checkpoints all the time has each of them read by the host


class PlaygroundController(QObject):
    """Glue between the Playground page and the host process."""

    def __init__(
        self,
        *,
        session: Session,
        page: PlaygroundPage,
        runs: RunController,
        host: Host,
        border: ThreadHandover,
        messenger: Notifications,
        go_to: Callable[[str], object],
        language: Callable[[], str],
    ) -> None:
        super().__init__(page)
        self._page = page
        self._runs = runs
        self._host = host
        self._border = border.of(self)
        self._messenger = messenger
        self._go_to = go_to
        self._language = language
        self._inputs: ModelInputs | None = None
        self._fields: tuple[ModelInput, ...] = ()  # that what is drawn and typed is made for
        self._offered: QImage | None = None  # until it is known what the model reads
        self._asked = 0
        self._is_waiting = False
        self._is_stale = False
        self._chooser = RunChooser(session=session, choice=page.choice, runs=runs, border=border)
        self._seen = SeenThrottle(50, self._describe, page)
        self._ask = SeenThrottle(_ASK_MS, self._predict, page)
        self._chooser.changed.connect(self._on_choice_changed)
        self._renew = SeenThrottle(_RENEW_MS, self._ask.request, page)
        self._chooser.renewed.connect(self._renew.request)
        page.changed.connect(self._ask.request)
        page.example_requested.connect(self._show_example)
        page.open_requested.connect(self._ask_file)
        page.picture_offered.connect(self.open_picture)
        page.start_requested.connect(self._start)
        self._on_choice_changed()

    def open_picture(self, file: str) -> None:
        """Put a picture of the disk on the pad."""
        self._border.run(lambda: read_picture(Path(file)), self._on_picture, self._messenger.report)

    def _on_choice_changed(self) -> None:
        self._asked += 1
        self._inputs = None
        has_run = self._chooser.folder is not None
        self._page.set_example(is_there=has_run)
        if has_run:
            self._page.set_empty(EmptyView(translate("Playground", "Opening the model…")))
            self._seen.request()
            return
        text = translate(
            "Playground",
            "Draw, drop an image, or type numbers or a sentence, and see what the "
            "trained model predicts. The first checkpoint is saved after the first "
            "epoch.",
        )
        title = translate("Playground", "No model yet")
        self._page.set_empty(EmptyView(title, text, translate("Playground", "Start training")))

    def _start(self) -> None:
        self._go_to("train")
        self._runs.start()

    def _describe(self) -> None:
        folder = self._chooser.folder
        if folder is None:
            return
        self._asked += 1
        number = self._asked
        request = DescribeModel(run_folder=str(folder.path), checkpoint=self._chooser.checkpoint)
        title = translate("Playground", "Nothing to try")
        self._border.deliver(
            self._host.request(request),
            lambda future: self._on_described(future.result()),
            lambda problems: self._page.set_empty(
                EmptyView(title, sentence(problems[0], self._language()))
            ),
            is_wanted=lambda: number == self._asked,
        )

    def _on_described(self, inputs: ModelInputs) -> None:
        self._is_waiting = False
        self._inputs = inputs
        self._page.set_empty(None)
        if inputs.fields == self._fields:  # what was drawn is tried on another checkpoint
            self._ask.request()
        else:
            self._offer_fields(inputs)
        offered, self._offered = self._offered, None
        if offered is not None:
            self._page.set_picture(offered)

    def _offer_fields(self, inputs: ModelInputs) -> None:
        self._fields = inputs.fields
        drawn = pad_field(inputs)
        shape = None
        if drawn is not None:
            channels, height, width = drawn.info.shape
            shape = (channels, height, width)
        self._page.show_entries(entries(inputs))
        self._page.show_pad(shape)
        self._page.show_batch(batch_text(inputs))
        self._show_example()

    def _show_example(self) -> None:
        inputs = self._inputs
        if inputs is None:
            return
        drawn = pad_field(inputs)
        self._page.set_texts(example_texts(inputs))
        if drawn is not None:
            pixels = example_pixels(drawn)
            height, width = pixels.shape[:2]
            kind = QImage.Format.Format_RGB888
            self._page.set_picture(QImage(pixels.data, width, height, 3 * width, kind).copy())
        self._ask.request()

    def _predict(self) -> None:
        inputs, folder = self._inputs, self._chooser.folder
        if inputs is None or folder is None:
            return
        if self._is_waiting:  # one question at a time; what changed meanwhile is asked then
            self._is_stale = True
            return
        texts = self._page.texts()
        self._page.show_reading(present_reading(inputs, texts))
        try:
            values = typed_values(inputs, texts)
        except EntryError as error:
            self._page.show_error(str(error))
            return
        drawn = pad_field(inputs)
        if drawn is not None:
            values[drawn.info.name] = drawn_values(drawn, self._page.pixels())
        self._is_waiting, self._is_stale = True, False
        request = Predict(
            run_folder=str(folder.path), checkpoint=self._chooser.checkpoint, values=values
        )
        self._border.deliver(
            self._host.request(request),
            lambda future: self._on_answer(inputs, future.result()),
            lambda problems: self._on_answer(inputs, sentence(problems[0], self._language())),
            is_wanted=lambda: inputs is self._inputs,
        )

    def _on_answer(self, inputs: ModelInputs, answer: Prediction | str) -> None:
        """Show an answer, or why there is none."""
        self._is_waiting = False
        if isinstance(answer, str):
            self._page.show_error(answer)
        else:
            self._page.show_answer(*present_answer(inputs, answer), answer.step)
        if self._is_stale:
            self._ask.request()

    def _ask_file(self) -> None:
        title = translate("Playground", "Choose an image")
        dialog = QFileDialog(self._page.window(), title)
        dialog.setObjectName("dialog.playground")
        dialog.setAccessibleName(title)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        kinds = "*.png *.jpg *.jpeg *.bmp *.gif"
        pictures = translate("Playground", "Images")
        dialog.setNameFilters([f"{pictures} ({kinds})"])
        dialog.fileSelected.connect(self.open_picture)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _on_picture(self, future: "Future[Picture]") -> None:
        picture, kind = future.result(), QImage.Format.Format_RGBA8888
        width, height = picture.width, picture.height
        image = QImage(picture.pixels, width, height, 4 * width, kind).copy()
        if self._inputs is None:
            self._offered = image
        else:
            self._page.set_picture(image)
