"""Check of model and data that a run waits for before it begins."""

from PySide6.QtCore import QObject, QTimer, Signal

from engine.spec.data_path import reads_files
from studio.session.session import Session


class AwaitedCheck(QObject):
    """Waits for the check of a document that was changed just now, and of files that may have been
    changed by others since the last one. ``come`` tells that it is there: :meth:`begin` is true
    then until the control returns.
    """

    come = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._is_awaited = self._is_fresh = False
        session.analysis_changed.connect(self._on_analysis_changed)

    @property
    def is_awaited(self) -> bool:
        """Whether a run was asked for and begins when the model is checked."""
        return self._is_awaited

    def begin(self) -> bool:
        """Return whether all is known of what a run would be of; else find it out."""
        session = self._session
        is_checked = session.findings.is_checked
        has_files = reads_files(session.spec.data.source, session.graph.code)
        if is_checked and (self._is_fresh or not has_files):
            return True
        self._set(is_awaited=True)
        if is_checked:
            session.doubt_data()
        return False

    def forget(self) -> None:
        """Wait no more."""
        self._set(is_awaited=False)

    def _set(self, *, is_awaited: bool) -> None:
        if self._is_awaited != is_awaited:
            self._is_awaited = is_awaited
            self._session.show_run_again()

    def _on_analysis_changed(self) -> None:
        findings = self._session.findings
        if self._is_awaited and (findings.is_checked or (findings.is_current and findings.errors)):
            QTimer.singleShot(0, self, self._tell)

    def _tell(self) -> None:
        if not self._is_awaited:
            return
        self._set(is_awaited=False)
        self._is_fresh = True
        try:
            self.come.emit()
        finally:
            self._is_fresh = False
