"""Tensors kept by the checkpoints of runs that are over: asked of the host process."""

from PySide6.QtCore import QObject, Signal

from engine.query.results.request import ListKeptTensors, TakeKeptTensor
from engine.runs.record.tensor_capture import TensorEntry
from studio.inspect.run_choice.bar import RunChoice
from studio.inspect.run_choice.controller import RunChooser
from studio.process.thread_handover import ThreadHandover
from studio.run_control.controller import RunController
from studio.session.analyst import Host
from studio.session.session import Session


class KeptTensors(QObject):
    """What the checkpoint that is chosen keeps. ``listed`` comes with a :class:`TensorListing` and
    the graph of the run, ``taken`` with a :class:`CapturedTensor`, ``list_failed`` and
    ``take_failed`` with problems; ``chosen`` says that another checkpoint is meant.
    """

    chosen = Signal()
    listed = Signal(object, object)
    taken = Signal(object)
    list_failed = Signal(object)
    take_failed = Signal(object)

    def __init__(
        self,
        *,
        session: Session,
        choice: RunChoice,
        runs: RunController,
        host: Host,
        border: ThreadHandover,
    ) -> None:
        super().__init__(choice)
        self._host = host
        self._border = border.of(self)
        self._chooser = RunChooser(session=session, choice=choice, runs=runs, border=border)
        self._asked = ("", "")
        self._chooser.changed.connect(self._on_chosen)

    @property
    def is_there(self) -> bool:
        """Whether there is a checkpoint."""
        return self._chooser.folder is not None

    def forget(self) -> None:
        """List anew when it is asked for next: a run goes on."""
        self._asked = ("", "")

    def request(self) -> bool:
        """Ask what the checkpoint keeps, once; return whether it was asked now."""
        folder = self._chooser.folder
        if folder is None or self._asked == (str(folder.path), self._chooser.checkpoint):
            return False
        self._asked = asked = (str(folder.path), self._chooser.checkpoint)
        graph = folder.document.graph
        request = ListKeptTensors(run_folder=asked[0], checkpoint=asked[1])

        self._border.deliver(
            self._host.request(request),
            lambda future: self.listed.emit(future.result(), graph),
            self.list_failed.emit,
            is_wanted=lambda: asked == self._asked,
        )
        return True

    def take(self, entry: TensorEntry) -> None:
        """Ask for one of the tensors."""
        run, checkpoint = asked = self._asked
        request = TakeKeptTensor(
            run_folder=run, checkpoint=checkpoint, kind=entry.kind, name=entry.name
        )

        self._border.deliver(
            self._host.request(request),
            lambda future: self.taken.emit(future.result()),
            self.take_failed.emit,
            is_wanted=lambda: asked == self._asked,
        )

    def _on_chosen(self) -> None:
        self.forget()
        self.chosen.emit()
