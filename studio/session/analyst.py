"""Asks the host process about the document after each change and drops what comes too late."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Protocol, TypeVar

from PySide6.QtCore import QObject, QTimer

from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.graph.analysis import Analysis
from engine.graph.model import Graph
from engine.query.model.request import Analyse, Check, CheckReport
from engine.query.request import Request
from engine.spec.choice import Code
from engine.spec.data import DataInfo
from engine.spec.data_path import reads_files
from engine.spec.run import DataSpec
from studio.process.thread_handover import ThreadHandover
from studio.session.session import Session

Answer = TypeVar("Answer")
_CHECK_DELAY_MS = 120
_BROKEN = ("D578", "E013", "E014")
"""A question that could not be read; an error, of custom code or ours, that was not foreseen."""


class Host(Protocol):
    """What answers questions that need torch: the host process, or a stand-in in tests."""

    def request(self, request: Request[Answer]) -> "Future[Answer]":
        """Return the answer when it comes; DiagnosticError where there is none."""
        ...


class LateHost:
    """A host that can be asked before it is there: such questions are dropped, and who needs an
    answer asks again when :meth:`begin` was called.
    """

    def __init__(self, host: Host) -> None:
        self._host = host
        self._is_there = False

    def begin(self) -> None:
        """Pass questions on from now on."""
        self._is_there = True

    def request(self, request: Request[Answer]) -> "Future[Answer]":
        """Ask the host; a cancelled future while it is not there."""
        if self._is_there:
            return self._host.request(request)
        dropped: Future[Answer] = Future()
        dropped.cancel()
        return dropped


class Analyst(QObject):
    """Keeps the findings of a session current.

    Shapes are asked for at once; data and specification are checked when things are quiet. Each
    question carries the number of the document it is about; an answer to an older one is dropped.
    """

    def __init__(
        self,
        session: Session,
        host: Host,
        handover: ThreadHandover,
        on_failure: Callable[[tuple[Diagnostic, ...]], object],
    ) -> None:
        super().__init__(session)
        self._session = session
        self._host = host
        self._handover = handover
        self._on_failure = on_failure
        self._generation = 0
        self._graph: Graph | None = None
        self._described: tuple[DataSpec, Code] | None = None
        self._timer = QTimer(self, singleShot=True, interval=_CHECK_DELAY_MS)
        self._timer.timeout.connect(self._check)
        session.graph_changed.connect(self._on_graph_changed)
        session.spec_changed.connect(self._on_spec_changed)
        session.data_doubted.connect(self._check_anew)

    def look_again(self) -> None:
        """Look at the files of the data again, as the user comes back from another program."""
        session = self._session
        if session.findings.is_checked and reads_files(
            session.spec.data.source, session.graph.code
        ):
            self._check_anew()

    def ask_again(self) -> None:
        """Ask for everything again (the host was started anew)."""
        self._on_graph_changed()

    def _on_graph_changed(self) -> None:
        if self._session.project is None:
            return
        self._generation += 1
        generation = self._generation
        precision = self._session.spec.compute.precision
        self._handover.deliver(
            self._host.request(Analyse(graph=self._session.graph, precision=precision)),
            lambda future: self._on_analysis(generation, future),
        )
        self._timer.start()

    def _on_spec_changed(self) -> None:
        if self._session.project is not None:
            self._generation += 1
            self._timer.start()

    def _check_anew(self) -> None:
        """Check the same document; an answer of before, of files as they were, is dropped."""
        self._generation += 1
        self._check()

    def _check(self) -> None:
        if self._session.project is None:
            return
        generation = self._generation
        self._handover.deliver(
            self._host.request(Check(graph=self._session.graph, spec=self._session.spec)),
            lambda future: self._on_check(generation, future),
        )

    def _on_analysis(self, generation: int, future: "Future[Analysis]") -> None:
        if generation != self._generation and self._session.findings.is_current:
            return
        if (error := future.exception()) is not None:
            self._fail(error)
        elif generation == self._generation:
            self._session.find(analysis=future.result(), is_current=True)

    def _on_check(self, generation: int, future: "Future[CheckReport]") -> None:
        if generation != self._generation:
            return
        if (error := future.exception()) is not None:
            self._fail(error)
            self._note(error)
            return
        report = future.result()
        self._compare(report.data)
        known = set(map(repr, report.analysis.problems))
        self._session.find(
            analysis=report.analysis,
            data=report.data,
            file_columns=report.file_columns,
            other_problems=tuple(p for p in report.problems if repr(p) not in known),
            is_current=True,
            is_checked=True,
        )

    def _compare(self, data: DataInfo | None) -> None:
        """Say that files were changed by others since the last check."""
        session, before = self._session, self._session.findings.data
        choice = (session.spec.data, session.graph.code)
        is_same, self._described = choice == self._described, choice
        if is_same and before is not None and data is not None and data != before:
            told = Diagnostic.of(
                "D746", severity=Severity.HINT, samples=data.samples, before=before.samples
            )
            self._on_failure((told,))

    def _note(self, error: BaseException) -> None:
        """Take a check that broke down for its finding: nobody waits for another answer."""
        problems = error.problems if isinstance(error, DiagnosticError) else ()
        if any(problem.code in _BROKEN for problem in problems):
            self._session.find(other_problems=problems, is_checked=True)

    def _fail(self, error: BaseException) -> None:
        if not isinstance(error, DiagnosticError):
            raise error
        self._on_failure(error.problems)
