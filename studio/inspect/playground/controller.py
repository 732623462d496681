"""Playground: what is drawn or typed goes to the model, its answer comes back at once."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFileDialog
from typing_extensions import override

from engine.diagnostics import Diagnostic, sentence
from engine.graph.attention import attends
from engine.query.generation.request import Generate, Sampling
from engine.query.results.request import (
    DescribeModel,
    FileInput,
    ModelInputs,
    Predict,
    Prediction,
    TakeFile,
)
from engine.runs.folder import RunFolder
from engine.sandbox.answer import Picture
from engine.sandbox.reading import read_picture
from engine.spec.data_file import PICTURES, patterns
from studio.i18n import translate
from studio.inspect.playground.latent import LatentController
from studio.inspect.playground.page import PlaygroundPage
from studio.inspect.playground.pictures import (
    drawn_values,
    example_values,
    fitted_values,
    further_examples,
    further_pictures,
    pad_field,
    present_pictures,
    shown_picture,
)
from studio.inspect.playground.played import (
    is_video,
    played_example,
    played_field,
    present_played,
)
from studio.inspect.playground.presenter import (
    EntryError,
    PlaygroundState,
    ReadingView,
    entries,
    example_texts,
    present_playground,
    present_reading,
    typed_cells,
    typed_texts,
    typed_values,
    whole_texts,
)
from studio.inspect.playground.samples import SamplesController
from studio.inspect.playground.writing import WritingController
from studio.run_choice.controller import RunChooser
from studio.services import PageController, Services
from widgets.common import parts
from widgets.common.throttle import SeenThrottle

_ASK_MS = 60
_NO_FILES = "D368"  # what a field that is read from no files says of one
_RENEW_MS = 2000  # a run that writes checkpoints all the time has each of them read by the host


class PlaygroundController(PageController[PlaygroundPage, PlaygroundState]):
    """Glue between the Playground page and the host process. ``attention_requested`` carries the
    text in which the attention of the model is to be seen.
    """

    attention_requested = Signal(str)

    def __init__(self, services: Services, page: PlaygroundPage) -> None:
        super().__init__(services, page, PlaygroundState())
        self._offered: tuple[str, QImage] | None = None  # until it is clear what the model reads
        self._sample = -1  # of the project's data, that the user wants to try
        self._number = 0  # of the description that is waited for
        self._is_waiting = False
        self._is_stale = False
        self._chooser = RunChooser(services, page.choice)
        self._writing = WritingController(services, page.writing, self._writing_question)
        self._samples = SamplesController(services, page.samples, self._chooser)
        self._latent = LatentController(services, page.latent, self._chooser)
        self._seen = SeenThrottle(50, self._describe, page)
        self._prediction = SeenThrottle(_ASK_MS, self._predict, page)
        self._chooser.changed.connect(self._on_choice_changed)
        self._renew = SeenThrottle(_RENEW_MS, self._prediction.request, page)
        self._chooser.renewed.connect(self._renew.request)
        page.drawn.connect(self._on_drawn)
        page.typed.connect(self._on_typed)
        page.example_requested.connect(self._take_example)
        page.open_requested.connect(self._ask_file)
        page.picture_offered.connect(self.open_picture)
        page.further_offered.connect(self.open_further)
        page.further_requested.connect(self._ask_further)
        page.file_requested.connect(self._ask_played)
        page.file_offered.connect(self.open_played)
        page.start_requested.connect(self._start_run)
        page.writing.attention_requested.connect(self._ask_attention)
        self._on_choice_changed()

    @override
    def _present(self) -> None:
        self._page.set_view(present_playground(self._state, self._language()))

    def open_picture(self, file: str) -> None:
        """Put a picture of the disk on the pad, read as those of the data are where these are files
        too.
        """
        self._handover.run(
            lambda: read_picture(Path(file)),  # in a process that can harm nobody
            lambda future: self._on_picture(file, future),
            self._notifications.report,
        )

    def _on_picture(self, file: str, future: "Future[Picture]") -> None:
        image = _image_of(future.result())
        if self._state.inputs is None:
            self._offered = (file, image)
        else:
            self._put_picture(file, image)

    def _put_picture(self, file: str, image: QImage) -> None:
        folder, inputs = self._chooser.folder, self._state.inputs
        field = pad_field(inputs) if inputs is not None else None
        if folder is None or inputs is None or field is None:
            self._change(picture=image, exact=())
            return
        self._ask_host(
            self._taking(folder, field.info.name, file),
            lambda taken: self._change(
                picture=shown_picture(inputs, taken.values), exact=taken.values
            ),
            lambda problems: self._on_untaken(image, problems),
            is_wanted=lambda: inputs is self._state.inputs,
        )

    def _taking(self, run: RunFolder, field: str, file: str) -> TakeFile:
        """Return the question for a file as the chosen checkpoint takes it."""
        return TakeFile(
            run_folder=str(run.path), checkpoint=self._chooser.checkpoint, field=field, path=file
        )

    def _on_untaken(self, image: QImage, problems: tuple[Diagnostic, ...]) -> None:
        if problems[0].code == _NO_FILES:
            self._change(picture=image, exact=())
        else:
            self._notifications.report(problems)

    def open_further(self, field: str, file: str) -> None:
        """Put a picture of the disk into a field beside the one that is drawn."""
        self._handover.run(
            lambda: read_picture(Path(file)),  # in a process that can harm nobody
            lambda future: self._put_further(field, file, _image_of(future.result())),
            self._notifications.report,
        )

    def _put_further(self, name: str, file: str, image: QImage) -> None:
        folder, inputs = self._chooser.folder, self._state.inputs
        fields = further_pictures(inputs) if inputs is not None else ()
        field = next((each for each in fields if each.info.name == name), None)
        if folder is None or field is None:
            return
        self._ask_host(
            self._taking(folder, name, file),
            lambda taken: self._take_further(name, taken.values, file),
            lambda problems: (
                self._take_further(name, fitted_values(field, image), file)
                if problems[0].code == _NO_FILES
                else self._notifications.report(problems)
            ),
            is_wanted=lambda: inputs is self._state.inputs,
        )

    def _take_further(self, name: str, values: tuple[float, ...], file: str) -> None:
        state, inputs = self._state, self._state.inputs
        if inputs is None:
            return
        further = {**state.further, name: values}
        files = {**state.files, name: Path(file).name}
        pictured = present_pictures(inputs, further, files)
        self._change(further=further, files=files, pictured=pictured)
        self._prediction.request()

    def open_sample(self, index: int) -> None:
        """Put in a sample of the project's data, by its index in the source."""
        self._sample = index
        self._describe()

    def open_played(self, file: str) -> None:
        """Put a sound or a video of the disk into the model."""
        folder, inputs = self._chooser.folder, self._state.inputs
        field = played_field(inputs) if inputs is not None else None
        if folder is None or field is None:
            return
        self._ask_host(
            self._taking(folder, field.info.name, file),
            lambda heard: self._on_file(heard, Path(file).name),
            lambda problems: self._notifications.tell(
                sentence(problems[0], self._language()), "error"
            ),
            is_wanted=lambda: inputs is self._state.inputs,
        )

    def _on_file(self, heard: FileInput, name: str) -> None:
        inputs = self._state.inputs
        if inputs is not None:
            heard_view = present_played(inputs, heard.values, name)
            self._change(played=heard.values, shown=heard_view)
            self._prediction.request()

    def _on_choice_changed(self) -> None:
        self._number += 1
        self._writing.reset()
        self._samples.reset()
        self._latent.reset()
        has_run = self._chooser.folder is not None
        self._change(has_run=has_run, inputs=None, problem=None, answer=None, error="")
        if has_run:
            self._seen.request()

    def _describe(self) -> None:
        folder = self._chooser.folder
        if folder is None:
            return
        self._number += 1
        number = self._number
        self._ask_host(
            DescribeModel(
                run_folder=str(folder.path),
                checkpoint=self._chooser.checkpoint,
                sample=self._sample_of(folder),
            ),
            self._on_described,
            self._on_undescribed,
            is_wanted=lambda: number == self._number,
        )

    def _sample_of(self, run: RunFolder) -> int:
        """Return the sample that is wanted, as far as the run knows it."""
        if self._sample >= 0 and run.document.spec.data.source != self._session.spec.data.source:
            self._sample = -1
            text = translate(
                "Playground", "“{run}” was trained on other data, so the sample was not opened."
            )
            self._notifications.tell(text.format(run=run.document.name), "warning")
        return self._sample

    def _on_undescribed(self, problems: tuple[Diagnostic, ...]) -> None:
        if self._sample < 0:
            self._change(problem=problems[0])
            return
        self._sample = -1  # that sample cannot be read; the model may well be there
        self._notifications.report(problems)
        self._describe()

    def _on_described(self, inputs: ModelInputs) -> None:
        self._is_waiting = False
        self._samples.offer(inputs)
        self._latent.offer(inputs)
        form = self._state.form
        self._take(inputs=inputs, form=inputs, problem=None)
        if form is not None and inputs.fields == form.fields:
            self._present()
            self._prediction.request()  # what was drawn is tried on another checkpoint
        else:
            self._take(entries=entries(inputs), reading=ReadingView())
            self._take_example()
        offered, self._offered = self._offered, None
        if offered is not None:
            self._put_picture(*offered)

    def _take_example(self) -> None:
        inputs = self._state.inputs
        if inputs is not None:
            self._change(
                texts=example_texts(inputs),
                picture=shown_picture(inputs, example_values(inputs)),
                exact=example_values(inputs),
                further=further_examples(inputs),
                files={},
                pictured=present_pictures(inputs, further_examples(inputs), {}),
                played=played_example(inputs),
                shown=present_played(inputs, played_example(inputs)),
            )
            self._prediction.request()

    def _on_drawn(self, pixels: NDArray[np.float32], is_opened: bool) -> None:
        self._take(pixels=pixels, is_drawn=not is_opened)
        self._prediction.request()

    def _on_typed(self, texts: tuple[str, ...]) -> None:
        self._take(texts=texts)
        self._prediction.request()

    def _predict(self) -> None:
        state, folder = self._state, self._chooser.folder
        inputs = state.inputs
        if inputs is None or inputs.makes_samples or folder is None:
            return
        if self._is_waiting:  # one question at a time; what changed meanwhile is asked then
            self._is_stale = True
            return
        cut = {} if state.answer is None else state.answer.tokens
        reading = present_reading(inputs, state.texts, cut)
        try:
            values = typed_values(inputs, state.texts)
            texts = typed_texts(inputs, state.texts)
        except EntryError as error:
            self._change(reading=reading, answer=None, error=str(error))
            return
        self._change(reading=reading)
        values |= self._shown_values(inputs)
        self._is_waiting, self._is_stale = True, False
        self._ask_host(
            Predict(
                run_folder=str(folder.path),
                checkpoint=self._chooser.checkpoint,
                values=values,
                texts=texts,
                cells=typed_cells(inputs, state.texts),
            ),
            lambda answer: self._on_answer(answer, self._told(answer.notices)),
            lambda problems: self._on_answer(None, self._told(problems)),
            is_wanted=lambda: inputs is self._state.inputs,
        )

    def _told(self, problems: Sequence[Diagnostic]) -> str:
        """Return the first of some problems in words."""
        return sentence(problems[0], self._language()) if problems else ""

    def _shown_values(self, inputs: ModelInputs) -> dict[str, tuple[float, ...]]:
        """Return the numbers of what is drawn and played, by field."""
        state, values = self._state, dict[str, tuple[float, ...]]()
        drawn = pad_field(inputs)
        if drawn is not None and state.exact and not state.is_drawn:
            values[drawn.info.name] = state.exact
        elif drawn is not None and state.pixels is not None:
            values[drawn.info.name] = drawn_values(drawn, state.pixels)
        values |= state.further
        heard = played_field(inputs)
        if heard is not None:
            values[heard.info.name] = state.played
        return values

    def _writing_question(self, sampling: Sampling) -> Generate | None:
        """Return what the model is to write on from; nothing after saying what is wrong with it."""
        inputs, texts, folder = self._state.inputs, self._state.texts, self._chooser.folder
        if inputs is None or folder is None:
            return None
        try:
            values = typed_values(inputs, texts)
        except EntryError as error:
            self._change(error=str(error))
            return None
        return Generate(
            run_folder=str(folder.path),
            checkpoint=self._chooser.checkpoint,
            texts=whole_texts(inputs, texts),
            values=values | self._shown_values(inputs),
            cells=typed_cells(inputs, texts),
            sampling=sampling,
        )

    def _ask_attention(self) -> None:
        inputs = self._state.inputs
        if inputs is not None:
            texts = whole_texts(inputs, self._state.texts)
            self.attention_requested.emit(next(iter(texts.values()), ""))

    def _on_answer(self, answer: Prediction | None, error: str) -> None:
        """Show an answer, or why there is none."""
        self._is_waiting = False
        inputs, texts = self._state.inputs, self._state.texts
        if answer is not None and answer.tokens and inputs is not None:
            self._take(reading=present_reading(inputs, texts, answer.tokens))
        folder = self._chooser.folder
        if answer is not None and folder is not None:
            self._writing.offer(
                is_offered=bool(answer.following), attends=attends(folder.document.graph)
            )
        self._change(answer=answer, error=error)
        if self._is_stale:
            self._prediction.request()

    def _ask_file(self) -> None:
        self._choose_picture(self.open_picture)

    def _ask_further(self, field: str) -> None:
        self._choose_picture(partial(self.open_further, field))

    def _choose_picture(self, take: Callable[[str], None]) -> None:
        title = translate("Playground", "Choose an image")
        dialog = parts.named(QFileDialog(self._page.window(), title), "dialog.playground", title)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        pictures = translate("Playground", "Images")
        dialog.setNameFilters([f"{pictures} ({patterns(PICTURES)})"])
        dialog.fileSelected.connect(take)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _ask_played(self) -> None:
        inputs = self._state.inputs
        title, kinds = translate("Playground", "Choose a sound"), "*.wav *.flac *.ogg *.mp3"
        files = translate("Playground", "Sounds")
        if inputs is not None and is_video(inputs):
            title, kinds = (
                translate("Playground", "Choose a video"),
                "*.mp4 *.avi *.mkv *.webm *.mov",
            )
            files = translate("Playground", "Videos")
        dialog = parts.named(QFileDialog(self._page.window(), title), "dialog.sound", title)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters([f"{files} ({kinds})"])
        dialog.fileSelected.connect(self.open_played)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()


def _image_of(picture: Picture) -> QImage:
    kind, width = QImage.Format.Format_RGBA8888, picture.width
    return QImage(picture.pixels, width, picture.height, 4 * width, kind).copy()
