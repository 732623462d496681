"""Tensors of the run that is followed: asked for, read and shown."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QGuiApplication

from engine.diagnostics import Diagnostic, DiagnosticError, sentence
from engine.events import CaptureTensor, ListTensors
from engine.graph.model import Graph
from engine.runs.record.tensor_capture import (
    NEEDS_STEP,
    CapturedTensor,
    TensorEntry,
    TensorListing,
    listing_files,
    tensor_files,
)
from studio.i18n import translate
from studio.inspect.tensors.file import TensorSaver
from studio.inspect.tensors.kept_tensor import KeptTensors
from studio.inspect.tensors.page import TensorsPage
from studio.inspect.tensors.presenter import (
    SliceError,
    TensorView,
    kind_title,
    numpy_text,
    present_tensor,
    tensor_id,
    tensor_title,
)
from studio.inspect.tensors.tree import present_tree
from studio.process.thread_handover import ThreadHandover
from studio.run_control.controller import RunController
from studio.session.analyst import Host
from studio.session.session import Session
from studio.window.notifications import Notifications
from studio.window.page import EmptyView
from widgets.tables.view_model import TreeData

_LIVE_MS = 2000


class TensorsController(QObject):
    """Glue between the page of tensors and the run. Files are read and prepared off Qt's thread."""

    def __init__(
        self,
        *,
        session: Session,
        page: TensorsPage,
        runs: RunController,
        host: Host,
        border: ThreadHandover,
        messenger: Notifications,
        go_to: Callable[[str], object],
        language: Callable[[], str],
    ) -> None:
        super().__init__(page)
        self._session = session
        self._page = page
        self._runs = runs
        self._border = border.of(self)
        self._messenger = messenger
        self._go_to = go_to
        self._language = language
        self._kept = KeptTensors(
            session=session, choice=page.choice, runs=runs, host=host, border=border
        )
        self._saver = TensorSaver(page=page, host=host, border=border, messenger=messenger)
        self._folder = self._list_file = self._file = self._newest = Path()
        self._listed: dict[str, TensorEntry] = {}
        self._captured: CapturedTensor | None = None
        self._view: TensorView | None = None
        self._model = Graph()
        self._selected = self._slice = ""
        self._asked = ""  # what is to be taken as soon as there is a run
        self._is_listing_asked = False
        self._timer = QTimer(self, interval=_LIVE_MS)
        self._timer.timeout.connect(self._take_again)
        page.shown.connect(self._on_shown)
        page.start_requested.connect(self._begin)
        page.capture_requested.connect(self.capture)
        page.live_changed.connect(self._on_live)
        page.captured_chosen.connect(lambda file: self._read(Path(file)))
        page.slice_changed.connect(self._on_slice)
        page.selected.connect(self._on_selected)
        page.copy_requested.connect(self._copy)
        page.save_requested.connect(self._save)
        session.run_changed.connect(self._on_run_changed)
        self._kept.chosen.connect(self._on_run_changed)
        self._kept.listed.connect(self._show_listing)
        self._kept.taken.connect(self._show_kept)
        self._kept.list_failed.connect(self._on_kept_failed)
        self._kept.take_failed.connect(messenger.report)
        self._tell_empty()

    def capture(self, key: str) -> None:
        """Ask the run for a tensor by its id; a run that waits takes a step where that is needed.
        Without a run, it comes out of a checkpoint, or else a run is started.
        """
        kind, _, name = key.partition(" ")
        entry = self._listed.get(key) or TensorEntry(kind=kind, name=name)  # pyright: ignore[reportArgumentType] - ids hold the kind
        if not self._runs.is_running and key in self._listed and self._kept.is_there:
            self._kept.take(entry)
            return
        if not self._runs.is_running:
            self._asked = key
            self._begin()
            return
        command = CaptureTensor(kind=entry.kind, name=entry.name)
        if entry.kind in NEEDS_STEP:
            self._runs.look(command)
        else:
            self._send(command)

    def _send(self, command: CaptureTensor | ListTensors) -> None:
        update = self._session.run
        if update is None:
            return
        try:
            update.folder.send(command)
        except DiagnosticError as error:
            self._messenger.report(error.problems)

    def _begin(self) -> None:
        self._runs.start()
        self._go_to("inspect")

    def _on_live(self, is_on: bool) -> None:
        if is_on:
            self._timer.start()
        else:
            self._timer.stop()

    def _take_again(self) -> None:
        is_going_on = self._runs.is_running and not self._runs.is_paused
        if self._selected and is_going_on and self._page.isVisible():
            self.capture(self._selected)

    def _on_selected(self, key: str) -> None:
        self._selected = key

    def _on_slice(self, text: str) -> None:
        self._slice = text
        self._draw()

    def _on_shown(self) -> None:
        self._is_listing_asked = False  # an optimizer has more to show than at the beginning
        self._on_run_changed()

    def _on_run_changed(self) -> None:
        update = self._session.run
        folder = Path() if update is None else update.folder.path
        if folder != self._folder:
            self._forget(folder, Graph() if update is None else update.folder.document.graph)
        is_running = self._runs.is_running
        self._page.set_running(is_running=is_running, has_kept=self._kept.is_there)
        if is_running:
            self._kept.forget()
        if is_running and self._asked:
            asked, self._asked = self._asked, ""
            self.capture(asked)
        if not self._page.isVisible():
            return
        if not is_running and self._kept.request() and not self._listed:
            self._page.set_empty(EmptyView(translate("Tensors", "Opening the checkpoint…")))
        if update is None:
            return
        if is_running and not self._is_listing_asked:
            self._is_listing_asked = True
            self._send(ListTensors())
        artefacts = update.folder.artefacts
        listed, taken = update.state.tensors, update.state.tensor
        is_live = is_running or not self._kept.is_there
        if listed is not None and is_live and self._list_file != artefacts / listed.file:
            self._read_listing(artefacts / listed.file)
        if taken is not None and self._newest != artefacts / taken.file:
            self._newest = artefacts / taken.file
            self._read(self._newest)

    def _forget(self, folder: Path, model: Graph) -> None:
        """Begin anew with another run."""
        self._folder, self._model = folder, model
        self._list_file = self._file = self._newest = Path()
        self._listed, self._captured, self._view = {}, None, None
        self._is_listing_asked = False
        self._kept.forget()
        self._page.show_nothing()
        self._tell_empty()

    def _tell_empty(self) -> None:
        text = translate(
            "Tensors",
            "View any tensor during a run: weights, gradients, optimizer state, "
            "activations and the batch. After a run, you can view the tensors in its "
            "checkpoints.",
        )
        action = "" if self._runs.is_running else translate("Tensors", "Train")
        self._page.set_empty(EmptyView(translate("Tensors", "No tensors yet"), text, action))

    def _read_listing(self, file: Path) -> None:
        self._list_file = file
        self._border.run(
            lambda: listing_files.read(file),
            lambda future: self._show_listing(future.result(), self._model),
            self._messenger.report,
            is_wanted=lambda: file == self._list_file,
        )

    def _show_listing(self, listing: TensorListing, model: Graph) -> None:
        self._model = model
        self._listed = listed = {tensor_id(entry): entry for entry in listing.tensors}

        def on_made(future: "Future[TreeData]") -> None:
            self._page.set_empty(None)
            self._page.show_listing(future.result())

        self._border.run(
            lambda: present_tree(listing, model),
            on_made,
            is_wanted=lambda: listed is self._listed,
        )

    def _on_kept_failed(self, problems: Sequence[Diagnostic]) -> None:
        """Say why a checkpoint shows no tensors; those that were taken before can be seen."""
        if self._captured is None:
            title = translate("Tensors", "The checkpoint cannot be opened")
            self._page.set_empty(EmptyView(title, sentence(problems[0], self._language())))
        else:
            self._messenger.report(problems)

    def _show_kept(self, captured: CapturedTensor) -> None:
        """Show a tensor that came out of a checkpoint: it is not among the files of the run."""
        self._file = Path()
        self._page.choose_no_taken()
        self._show(captured)

    def _read(self, file: Path) -> None:
        self._file = file
        artefacts = file.parents[1]
        self._border.run(
            lambda: (tensor_files.read(file), _taken(artefacts, self._model)),
            lambda future: self._on_read(file, future),
            self._messenger.report,
            is_wanted=lambda: file == self._file,
        )

    def _on_read(
        self,
        file: Path,
        future: "Future[tuple[CapturedTensor, tuple[tuple[str, str], ...]]]",
    ) -> None:
        captured, taken = future.result()
        self._page.set_empty(None)
        self._page.set_taken(taken, str(file))
        self._show(captured)

    def _show(self, captured: CapturedTensor) -> None:
        before, self._captured = self._captured, captured
        is_other = before is not None and tensor_id(before) != tensor_id(captured)
        if is_other:  # a part that was meant of another tensor
            self._page.clear_slice()
        if before is None or is_other or len(before.shape) != len(captured.shape):
            self._page.choose_look(captured.shape)
        self._draw()

    def _draw(self) -> None:
        captured, model, text = self._captured, self._model, self._slice
        if captured is not None:
            self._border.run(
                lambda: present_tensor(captured, text, model),
                self._on_drawn,
                is_wanted=lambda: captured is self._captured and text == self._slice,
            )

    def _on_drawn(self, future: "Future[TensorView]") -> None:
        error = future.exception()
        if isinstance(error, SliceError):
            self._page.show_problem(str(error))
            return
        self._view = future.result()
        self._page.show_tensor(self._view)

    def _copy(self) -> None:
        if self._view is None:
            return
        array = self._view.array
        self._border.run(lambda: numpy_text(array), self._on_copied)

    def _on_copied(self, future: "Future[str | None]") -> None:
        text = future.result()
        if text is None:
            sentence = translate(
                "Tensors",
                "This is too large for the clipboard. Select a part with a "
                "slice, or save it to a file.",
            )
            self._messenger.tell(sentence, "warning")
        else:
            QGuiApplication.clipboard().setText(text)
            self._messenger.tell(translate("Tensors", "Copied as NumPy text"), "success")

    def _save(self) -> None:
        if self._view is not None:
            self._saver.ask(self._view)


def _taken(artefacts: Path, model: Graph) -> tuple[tuple[str, str], ...]:
    """Return the tensors that were taken, the newest first: text and file. One that cannot be read
    hides no other; why, is told when it is chosen.
    """
    found: list[tuple[str, str]] = []
    for path in reversed(tensor_files.files(artefacts)):
        try:
            captured = tensor_files.read(path)
        except DiagnosticError:
            text = translate("Tensors", "{file}: cannot be read").format(file=path.name)
            found.append((text, str(path)))
            continue
        name = tensor_title(captured.kind, captured.name, model)
        text = translate("Tensors", "Step {step}: {kind} {name}").format(
            step=f"{captured.step:,}", kind=kind_title(captured.kind), name=name
        )
        found.append((text, str(path)))
    return tuple(found)
