"""What is being worked on: the document with its history, and what was found out about it."""

from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
from PySide6.QtCore import QObject, Signal, SignalInstance

from engine.graph.edits import Edit, apply
from engine.graph.history import History
from engine.graph.model import Graph
from engine.project import Project
from engine.spec.defaults import bind_losses
from engine.spec.run import RunSpec
from studio.findings import Findings
from studio.run_bridge import RunUpdate


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """What undo goes back and forth in: the graph and all of the run specification."""

    graph: Graph = Graph()
    spec: RunSpec = RunSpec()


class Session(QObject):
    """The state behind the window. All changes come through here and are told by few signals.

    A change inside a handler of these signals raises RuntimeError: facts do not flow backwards.
    """

    graph_changed = Signal()
    spec_changed = Signal()
    analysis_changed = Signal()
    data_changed = Signal()
    project_changed = Signal()
    run_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.project: Project | None = None
        self.findings = Findings()
        self.run: RunUpdate | None = None
        self.selection: tuple[str, ...] = ()
        self._history: History[Document] = History(Document())
        self._emitting = False

    @property
    def document(self) -> Document:
        """Graph and run specification as they are now."""
        return self._history.present

    @property
    def graph(self) -> Graph:
        """The graph as it is now."""
        return self._history.present.graph

    @property
    def spec(self) -> RunSpec:
        """The run specification as it is now."""
        return self._history.present.spec

    @property
    def is_modified(self) -> bool:
        """Whether there is something that is not in the project file."""
        return self.project is not None and self._history.is_modified

    @property
    def can_undo(self) -> bool:
        """Whether there is a change to take back."""
        return self._history.can_undo

    @property
    def can_redo(self) -> bool:
        """Whether there is a change to do again."""
        return self._history.can_redo

    def open(
        self, project: Project | None, document: Document, *, is_recovered: bool = False
    ) -> None:
        """Begin to work on a project (None: on nothing)."""
        with self._changing():
            self.project = project
            self._history = History(document)
            if is_recovered:
                self._history.mark_unsaved()
            self.findings = Findings()
            self.run = None
            self.selection = ()
        self._emit(
            self.project_changed,
            self.graph_changed,
            self.spec_changed,
            self.analysis_changed,
            self.data_changed,
            self.run_changed,
        )

    def edit(self, edit: Edit, label: str, merge_key: str | None = None) -> None:
        """Change the graph. Raises GraphError when the graph does not allow it."""
        graph = apply(edit, self.graph)
        spec = bind_losses(self.spec, self.graph, graph, self.findings.data)
        self.change(graph, spec, label, merge_key)

    def change(self, graph: Graph, spec: RunSpec, label: str, merge_key: str | None = None) -> None:
        """Take another graph and specification; what follows with one key is one undo step."""
        before = self.document
        if graph == before.graph and spec == before.spec:
            return
        with self._changing():
            self._history.push(Document(graph=graph, spec=spec), label, merge_key)
        self._tell_difference(before)

    def seal(self) -> None:
        """End the merging of changes: a drag or the typing in a field is over."""
        self._history.seal()

    def undo(self) -> None:
        """Take the last change back."""
        before = self.document
        with self._changing():
            self._history.undo()
        self._tell_difference(before)

    def redo(self) -> None:
        """Do the change again that was taken back last."""
        before = self.document
        with self._changing():
            self._history.redo()
        self._tell_difference(before)

    def mark_saved(self, project: Project) -> None:
        """Remember that the document is in the project file."""
        self.project = project
        self._history.mark_saved()
        self._emit(self.project_changed)

    def find(self, **findings: object) -> None:
        """Take over what was found out: fields of :class:`Findings`."""
        before = self.findings
        self.findings = msgspec.structs.replace(before, **findings)
        if self.findings.data != before.data:
            self._emit(self.data_changed)
        self._emit(self.analysis_changed)

    def follow(self, update: RunUpdate | None) -> None:
        """Take over how the run that is followed stands (None: there is none)."""
        self.run = update
        self._emit(self.run_changed)

    def _tell_difference(self, before: Document) -> None:
        now = self.document
        signals: list[SignalInstance] = []
        if now.graph != before.graph:
            self.findings = msgspec.structs.replace(
                self.findings, is_current=False, is_checked=False
            )
            self.selection = tuple(node for node in self.selection if node in now.graph.nodes)
            signals.append(self.graph_changed)
        if now.spec != before.spec:
            self.findings = msgspec.structs.replace(self.findings, is_checked=False)
            signals.append(self.spec_changed)
        self._emit(*signals, self.project_changed)

    def _emit(self, *signals: SignalInstance) -> None:
        was_emitting, self._emitting = self._emitting, True
        try:
            for signal in signals:
                signal.emit()
        finally:
            self._emitting = was_emitting

    @contextmanager
    def _changing(self) -> Iterator[None]:
        if self._emitting:
            raise RuntimeError("a change inside a change handler: facts do not flow backwards")
        yield
