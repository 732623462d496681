"""What is being worked on: the document with its history, and what was found out about it."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Protocol

import msgspec
from PySide6.QtCore import QObject, Signal, SignalInstance

from engine.graph.analysis import Analysis
from engine.graph.block import Path, block_at, level, valid_path
from engine.graph.code import DRAFT_FILE, MODEL_FILE
from engine.graph.edit.edits import Edit, EditBlock, apply
from engine.graph.history import History
from engine.graph.model import Graph
from engine.project import Project
from engine.spec.defaults import bind_losses
from engine.spec.run import RunSpec
from engine.spec.weight_name import follow_names
from studio.session.findings import Findings
from studio.session.run_follower import RunUpdate

_MOST_REMEMBERED = 12


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """What undo goes back and forth in: the graph and all of the run specification."""

    graph: Graph = Graph()
    spec: RunSpec = RunSpec()


class Judge(Protocol):
    """Who is told of every change before it is made, with whether it brings what was not written
    in this window.
    """

    def __call__(self, before: Graph, after: Graph, *, is_foreign: bool) -> object:
        """Take note of a change."""
        ...


def _no_judge(before: Graph, after: Graph, *, is_foreign: bool) -> None:
    """Take no note: there is nobody who asks."""


class Session(QObject):
    """The state behind the window. All changes come through here and are told by few signals.

    A change inside a handler of these signals raises RuntimeError: facts do not flow backwards.
    """

    graph_changed = Signal()
    spec_changed = Signal()
    analysis_changed = Signal()
    data_changed = Signal()
    data_doubted = Signal()
    project_changed = Signal()
    run_changed = Signal()
    export_asked = Signal()
    level_changed = Signal()

    def __init__(self, parent: QObject | None = None, judge: Judge = _no_judge) -> None:
        super().__init__(parent)
        self._judge = judge
        self.project: Project | None = None
        self.findings = Findings()
        self.run: RunUpdate | None = None
        self.to_export = ""  # id of the run that was asked for last
        self.selection: tuple[str, ...] = ()
        self.path: Path = ()
        self._level = (Graph(), (), Graph())
        self._history: History[Document] = History(Document())
        self._emitting = False
        self._analyses: list[tuple[Graph, Analysis]] = []  # of the graphs found out about last

    @property
    def document(self) -> Document:
        """Graph and run specification as they are now."""
        return self._history.present

    @property
    def graph(self) -> Graph:
        """The graph as it is now."""
        return self._history.present.graph

    @property
    def level(self) -> Graph:
        """The part of the graph that is on the canvas: all of it, or the inside of a block."""
        graph = self.graph
        if self._level[0] is not graph or self._level[1] != self.path:
            self._level = (graph, self.path, self.level_at(self.path))
        return self._level[2]

    def level_at(self, path: Path) -> Graph:
        """Return the inside of the block that a path leads into; the model where it does not."""
        return level(self.graph, path) or self.graph

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
    def before(self) -> Document | None:
        """The document that undo would bring back, if there is one."""
        return self._history.before

    def comes_after(self, document: Document) -> bool:
        """Return whether what is shown was made from this very document."""
        return self._history.comes_after(document)

    @property
    def undo_label(self) -> str:
        """What undo would take back, in words; empty for nothing."""
        return self._history.undo_label

    @property
    def redo_label(self) -> str:
        """What redo would do again, in words; empty for nothing."""
        return self._history.redo_label

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
            self._analyses.clear()
            self.run = None
            self.to_export = ""
            self.selection = ()
            self.path = ()
        self._emit(
            self.project_changed,
            self.level_changed,
            self.graph_changed,
            self.spec_changed,
            self.analysis_changed,
            self.data_changed,
            self.run_changed,
        )

    @property
    def is_telling(self) -> bool:
        """Whether a change is being told: nothing can be changed before that is done."""
        return self._emitting

    def edit(
        self, edit: Edit, label: str, merge_key: str | None = None, *, is_foreign: bool = False
    ) -> None:
        """Change the graph. Raises GraphError when the graph does not allow it. ``is_foreign``:
        code that comes with it is not of the user's own hand.
        """
        graph = apply(edit, self.with_shown_text())
        spec = bind_losses(self.spec, self.graph, graph, self.findings.data)
        spec = follow_names(spec, self.graph, graph, edit)
        self.change(graph, spec, label, merge_key, is_foreign=is_foreign)

    def adopt_shown_text(self) -> None:
        """Let the text of the model in the document be the one that is shown: what is saved is what
        other programs read.
        """
        graph, before = self.with_shown_text(), self.document
        if graph is before.graph:
            return
        self._judge(before.graph, graph, is_foreign=False)
        with self._changing():
            self._history.replace_present(msgspec.structs.replace(before, graph=graph))
        self._tell_difference(before)

    def with_shown_text(self) -> Graph:
        """Return the graph with the text of its model as it is shown: the next change starts there,
        so what it says of a node is found again however often that is renamed.
        """
        graph, source = self.graph, self.findings.analysis.source
        known = graph.code.get(MODEL_FILE, source)
        if DRAFT_FILE in graph.code or not self.findings.is_current or known == source:
            return graph
        return msgspec.structs.replace(graph, code={**graph.code, MODEL_FILE: source})

    def edit_level(
        self, edit: Edit, label: str, merge_key: str | None = None, *, is_foreign: bool = False
    ) -> None:
        """Change the part of the graph that is on the canvas; as :meth:`edit`."""
        name = block_at(self.graph, self.path)
        whole = EditBlock(block=name, edit=edit) if name else edit
        self.edit(whole, label, merge_key, is_foreign=is_foreign)

    def enter(self, path: Path, selection: tuple[str, ...] = ()) -> None:
        """Put another part of the graph on the canvas; a path that leads nowhere is cut off."""
        path = valid_path(self.graph, path)
        nodes = (level(self.graph, path) or self.graph).nodes
        with self._changing():
            is_other = path != self.path
            self.path = path
            self.selection = tuple(node for node in selection if node in nodes)
            self._history.seal()
        if is_other:
            self._emit(self.level_changed)

    def change(
        self,
        graph: Graph,
        spec: RunSpec,
        label: str,
        merge_key: str | None = None,
        *,
        is_foreign: bool = False,
    ) -> None:
        """Take another graph and specification; what follows with one key is one undo step."""
        before = self.document
        if spec.weights != before.spec.weights and spec.renamed == before.spec.renamed:
            spec = msgspec.structs.replace(spec, renamed={})  # they were names in another file
        if graph == before.graph and spec == before.spec:
            return
        self._judge(before.graph, graph, is_foreign=is_foreign)
        with self._changing():
            self._history.push(Document(graph=graph, spec=spec), label, merge_key)
        self._tell_difference(before)

    def amend(self, graph: Graph, spec: RunSpec) -> None:
        """Have the last change end with this graph and specification: one undo takes all back."""
        before = self.document
        if graph == before.graph and spec == before.spec:
            return
        self._judge(before.graph, graph, is_foreign=False)
        with self._changing():
            self._history.amend(Document(graph=graph, spec=spec))
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
        after = msgspec.structs.replace(before, **findings)
        if after.analysis == before.analysis:  # the very same, so that nothing is shown anew
            after = msgspec.structs.replace(after, analysis=before.analysis)
        self.findings = after
        if after.is_current:
            self._remember(after.analysis)
        if self.findings.data != before.data:
            self._emit(self.data_changed)
        self._emit(self.analysis_changed)

    def follow(self, update: RunUpdate | None) -> None:
        """Take over how the run that is followed stands (None: there is none)."""
        self.run = update
        self._emit(self.run_changed)

    def show_run_again(self) -> None:
        """Have the run shown again: whether one starts or waits is known beside the session."""
        self._emit(self.run_changed)

    def show_spec_again(self) -> None:
        """Have the specification shown again: a text that was rejected stands in a form only."""
        self._emit(self.spec_changed)

    def doubt_data(self) -> None:
        """Have the data looked at again: files may have changed since they were described."""
        self.findings = msgspec.structs.replace(self.findings, is_checked=False)
        self._emit(self.data_doubted)

    def show_findings_again(self) -> None:
        """Have the findings shown again: what the machine can do was found out."""
        self._emit(self.analysis_changed)

    def ask_export(self, run: str) -> None:
        """Ask for a run to be the one that is exported."""
        self.to_export = run
        self._emit(self.export_asked)

    def _remember(self, analysis: Analysis) -> None:
        """Keep what was found out: undo and redo show it at once."""
        others = [each for each in self._analyses if each[0] is not self.graph]
        self._analyses = [*others[1 - _MOST_REMEMBERED :], (self.graph, analysis)]

    def _tell_difference(self, before: Document) -> None:
        now = self.document
        signals: list[SignalInstance] = []
        if now.graph != before.graph:
            analyses = [found for graph, found in self._analyses if graph is now.graph]
            self.findings = msgspec.structs.replace(
                self.findings,
                analysis=analyses[0] if analyses else self.findings.analysis,
                is_current=False,
                is_checked=False,
                fixes=(),
            )
            path = valid_path(now.graph, self.path)
            if path != self.path:
                self.path, self.selection = path, ()
                signals.append(self.level_changed)
            self.selection = tuple(node for node in self.selection if node in self.level.nodes)
            signals.append(self.graph_changed)
        if now.spec != before.spec:
            self.findings = msgspec.structs.replace(self.findings, is_checked=False, fixes=())
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
    def _changing(self) -> Generator[None, None, None]:
        if self._emitting:
            raise RuntimeError("a change inside a change handler: facts do not flow backwards")
        yield
