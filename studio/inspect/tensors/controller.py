"""Tensors of the run that is followed, or of a checkpoint: asked for, read and shown."""

from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from typing_extensions import override

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.events import CaptureTensor, ListTensors
from engine.graph.model import Graph
from engine.query.results.request import ListKeptTensors, TakeKeptTensor
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
from studio.inspect.tensors.page import TensorsPage
from studio.inspect.tensors.presenter import (
    SliceError,
    TensorsState,
    TensorView,
    best_look,
    kind_title,
    numpy_text,
    present_tensor,
    present_tensors,
    tensor_id,
    tensor_title,
)
from studio.inspect.tensors.tree import present_tree
from studio.run_choice.controller import RunChooser
from studio.services import PageController, Services

_LIVE_MS = 2000
_Files = tuple[tuple[str, str], ...]


class TensorsController(PageController[TensorsPage, TensorsState]):
    """Glue between the page of tensors and the run. Files are read and prepared off Qt's thread."""

    def __init__(self, services: Services, page: TensorsPage) -> None:
        super().__init__(services, page, TensorsState())
        self._chooser = RunChooser(services, page.choice)
        self._saver = TensorSaver(services, page)
        self._list_file = self._newest = Path()
        self._listed: dict[str, TensorEntry] = {}
        self._checkpoint = ("", "")  # run and checkpoint that were asked about
        self._is_listing_asked = False
        self._timer = QTimer(self, interval=_LIVE_MS)
        self._timer.timeout.connect(self._take_again)
        page.shown.connect(self._on_shown)
        page.start_requested.connect(self._inspect_run)
        page.capture_requested.connect(self.capture)
        page.live_changed.connect(lambda on: self._timer.start() if on else self._timer.stop())
        page.captured_chosen.connect(lambda file: self._read(Path(file)))
        page.slice_changed.connect(self._on_slice)
        page.look_changed.connect(lambda look: self._change(look=look))
        page.selected.connect(lambda key: self._change(selected=key))
        page.copy_requested.connect(self._copy)
        page.save_requested.connect(self._save)
        self._session.run_changed.connect(self._on_run_changed)
        self._chooser.changed.connect(self._on_checkpoint_chosen)
        self._present()

    @override
    def _present(self) -> None:
        self._page.set_view(present_tensors(self._state, self._language()))

    def capture(self, key: str) -> None:
        """Ask the run for a tensor by its id; a run that waits takes a step where that is needed.
        Without a run, it comes out of a checkpoint, or else a run is started.
        """
        kind, _, name = key.partition(" ")
        entry = self._listed.get(key) or TensorEntry(kind=kind, name=name)  # pyright: ignore[reportArgumentType] - ids hold the kind
        command = CaptureTensor(kind=entry.kind, name=entry.name)
        if not self._runs.is_running and key in self._listed and self._state.has_checkpoint:
            self._take_from_checkpoint(entry)
        elif not self._runs.is_running:
            self._change(awaited=key)
            self._inspect_run()
        elif entry.kind in NEEDS_STEP:
            self._runs.look(command)
        else:
            self._send(command)

    def _send(self, command: CaptureTensor | ListTensors) -> None:
        update = self._session.run
        if update is not None:
            self._succeeds(lambda: update.folder.send(command))

    def _take_again(self) -> None:
        is_going_on = self._runs.is_running and not self._runs.is_paused
        if self._state.selected and is_going_on and self._page.isVisible():
            self.capture(self._state.selected)

    def _on_shown(self) -> None:
        self._is_listing_asked = False  # an optimizer has more to show than at the beginning
        self._on_run_changed()

    def _on_run_changed(self) -> None:
        update = self._session.run
        folder = Path() if update is None else update.folder.path
        if folder != self._state.folder:
            self._forget(folder, Graph() if update is None else update.folder.document.graph)
        is_running, has_checkpoint = self._runs.is_running, self._chooser.folder is not None
        awaited = self._state.awaited
        self._update(
            is_running=is_running,
            has_checkpoint=has_checkpoint,
            awaited="" if is_running else awaited,
        )
        if is_running:
            self._checkpoint = ("", "")  # it is listed anew: a run goes on
        if is_running and awaited:
            self.capture(awaited)
        if not self._page.isVisible():
            return
        if not is_running and self._list_checkpoint():
            self._change(is_opening=True, problem=None)
        if update is None:
            return
        if is_running and not self._is_listing_asked:
            self._is_listing_asked = True
            self._send(ListTensors())
        artefacts = update.folder.artefacts
        listed, captured = update.state.tensors, update.state.tensor
        is_live = is_running or not has_checkpoint
        if listed is not None and is_live and self._list_file != artefacts / listed.file:
            self._read_listing(artefacts / listed.file)
        if captured is not None and self._newest != artefacts / captured.file:
            self._newest = artefacts / captured.file
            self._read(self._newest)

    def _forget(self, folder: Path, model: Graph) -> None:
        """Begin anew with another run."""
        self._list_file = self._newest = Path()
        self._listed, self._checkpoint, self._is_listing_asked = {}, ("", ""), False
        state = self._state
        self._set(
            TensorsState(folder=folder, model=model, slice=state.slice, awaited=state.awaited)
        )

    def _on_checkpoint_chosen(self) -> None:
        self._checkpoint = ("", "")
        self._on_run_changed()

    def _list_checkpoint(self) -> bool:
        """Ask what the checkpoint that is chosen holds, once; return whether it was asked now."""
        folder = self._chooser.folder
        if folder is None or self._checkpoint == (str(folder.path), self._chooser.checkpoint):
            return False
        self._checkpoint = asked = (str(folder.path), self._chooser.checkpoint)
        graph = folder.document.graph
        self._ask_host(
            ListKeptTensors(run_folder=asked[0], checkpoint=asked[1]),
            lambda listing: self._show_listing(listing, graph),
            self._on_list_failed,
            is_wanted=lambda: asked == self._checkpoint,
        )
        return True

    def _on_list_failed(self, problems: tuple[Diagnostic, ...]) -> None:
        """Say why a checkpoint shows no tensors; those that were taken before can be seen."""
        if self._state.captured is None:
            self._change(problem=problems[0])
        else:
            self._notifications.report(problems)

    def _take_from_checkpoint(self, entry: TensorEntry) -> None:
        run, checkpoint = asked = self._checkpoint
        self._ask_host(
            TakeKeptTensor(run_folder=run, checkpoint=checkpoint, kind=entry.kind, name=entry.name),
            lambda captured: self._show(captured, replace(self._state, file="")),
            self._notifications.report,
            is_wanted=lambda: asked == self._checkpoint,
        )

    def _read_listing(self, file: Path) -> None:
        self._list_file = file
        self._handover.run(
            lambda: listing_files.read(file),
            lambda future: self._show_listing(future.result(), self._state.model),
            self._notifications.report,
            is_wanted=lambda: file == self._list_file,
        )

    def _show_listing(self, listing: TensorListing, model: Graph) -> None:
        self._listed = listed = {tensor_id(entry): entry for entry in listing.tensors}
        self._take(model=model)
        self._handover.run(
            lambda: present_tree(listing, model),
            lambda future: self._change(listing=future.result(), problem=None),
            is_wanted=lambda: listed is self._listed,
        )

    def _read(self, file: Path) -> None:
        self._take(file=str(file))
        artefacts, model = file.parents[1], self._state.model
        self._handover.run(
            lambda: (tensor_files.read(file), _captured_files(artefacts, model)),
            self._on_read,
            self._notifications.report,
            is_wanted=lambda: str(file) == self._state.file,
        )

    def _on_read(self, future: "Future[tuple[CapturedTensor, _Files]]") -> None:
        captured, files = future.result()
        self._show(captured, replace(self._state, files=files, problem=None))

    def _show(self, captured: CapturedTensor, state: TensorsState) -> None:
        last = state.captured
        is_other = last is not None and tensor_id(last) != tensor_id(captured)
        if is_other:  # a part that was meant of another tensor
            state = replace(state, slice="")
        if last is None or is_other or len(last.shape) != len(captured.shape):
            state = replace(state, look=best_look(captured.shape))
        self._set(replace(state, captured=captured))
        self._draw()

    def _on_slice(self, text: str) -> None:
        self._take(slice=text)
        self._draw()

    def _draw(self) -> None:
        captured, model, text = self._state.captured, self._state.model, self._state.slice
        if captured is not None:
            self._handover.run(
                lambda: present_tensor(captured, text, model),
                self._on_drawn,
                is_wanted=lambda: captured is self._state.captured and text == self._state.slice,
            )

    def _on_drawn(self, future: "Future[TensorView]") -> None:
        error = future.exception()
        if isinstance(error, SliceError):
            self._change(slice_problem=str(error))
        else:
            self._change(view=future.result(), slice_problem="")

    def _copy(self) -> None:
        if self._state.view is not None:
            array = self._state.view.array
            self._handover.run(lambda: numpy_text(array), self._on_copied)

    def _on_copied(self, future: "Future[str | None]") -> None:
        text = future.result()
        if text is None:
            warning = translate(
                "Tensors",
                "This is too large for the clipboard. Select a part with a "
                "slice, or save it to a file.",
            )
            self._notifications.tell(warning, "warning")
        else:
            QGuiApplication.clipboard().setText(text)
            self._notifications.tell(translate("Tensors", "Copied as NumPy text"), "success")

    def _save(self) -> None:
        if self._state.view is not None:
            self._saver.ask(self._state.view)


def _captured_files(artefacts: Path, model: Graph) -> _Files:
    """Return the tensors that were captured, the newest first: file and text. One that cannot be
    read hides no other; why, is told when it is chosen.
    """
    files: list[tuple[str, str]] = []
    for path in reversed(tensor_files.files(artefacts)):
        try:
            captured = tensor_files.read(path)
        except DiagnosticError:
            text = translate("Tensors", "{file}: cannot be read").format(file=path.name)
        else:
            text = translate("Tensors", "Step {step}: {kind} {name}").format(
                step=f"{captured.step:,}",
                kind=kind_title(captured.kind),
                name=tensor_title(captured.kind, captured.name, model),
            )
        files.append((str(path), text))
    return tuple(files)
