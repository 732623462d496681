"""Asks the host process what mends the problems that are shown, once things are quiet."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from engine.diagnostics import Diagnostic
from engine.query.model.request import Repair, Repairs
from studio.process.thread_handover import ThreadHandover
from studio.session.analyst import Host
from studio.session.session import Document, Session

_DELAY_MS = 150
_MOST = 24  # problems asked about at once; one further on is asked about when it is looked at


class Repairer(QObject):
    """Keeps the fixes in the findings of a session current.

    A document is asked about when all of it was checked and nobody types. An answer about an older
    document is dropped.
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
        self._asked: tuple[Document, tuple[Diagnostic, ...]] | None = None
        self._timer = QTimer(self, singleShot=True, interval=_DELAY_MS)
        self._timer.timeout.connect(self._ask_for_shown)
        session.analysis_changed.connect(self._on_analysis_changed)

    def want(self, problem: Diagnostic) -> None:
        """Ask about one problem that is looked at, unless that was done."""
        findings = self._session.findings
        is_known = any(known == problem for known, _ in findings.fixes)
        if findings.is_checked and not is_known and not self._timer.isActive():
            self._ask((problem,))

    def _on_analysis_changed(self) -> None:
        if self._session.findings.is_checked and not self._is_asked():
            self._timer.start()

    def _shown(self) -> tuple[Diagnostic, ...]:
        return self._session.findings.problems[:_MOST]

    def _is_asked(self) -> bool:
        asked = self._asked
        is_same = asked is not None and asked[0] is self._session.document
        return is_same and asked is not None and asked[1] == self._shown()

    def _ask_for_shown(self) -> None:
        session, problems = self._session, self._shown()
        if session.project is None or not session.findings.is_checked or self._is_asked():
            return
        self._asked = (session.document, problems)
        self._ask(problems)

    def _ask(self, problems: tuple[Diagnostic, ...]) -> None:
        document = self._session.document
        if problems:
            request = Repair(graph=document.graph, spec=document.spec, problems=problems)
            self._handover.deliver(
                self._host.request(request),
                lambda future: self._on_answer(problems, future.result()),
                self._on_failure,
                is_wanted=lambda: document is self._session.document,
            )

    def _on_answer(self, problems: tuple[Diagnostic, ...], repairs: Repairs) -> None:
        session = self._session
        answer = tuple(zip(problems, repairs.fixes, strict=False))
        others = tuple(item for item in session.findings.fixes if item[0] not in problems)
        session.find(fixes=(*others, *answer))
