"""Which code of a project may run: what was written here, and what the user has agreed to.

Trust is given to texts. A text that is typed in a trusted project is trusted as it is typed; one
that comes from elsewhere (another program, the clipboard, a project of somebody else) is not, and
then nothing of the project's code runs. Agreement is remembered with the path of the project and
the hash of all its code (RELIABILITY.md, rule 2).
"""

import hashlib
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from engine.diagnostics import DiagnosticError
from engine.graph.code import code_digest
from engine.graph.model import Graph
from engine.graph.shipped_code import is_shipped
from engine.runs.folder import find_run
from studio.process.settings import SettingsStore, TrustedCode

_MOST_PROJECTS = 200
_MOST_RUNS = 500


class Trust(QObject):
    """What is trusted of the project that is open. ``changed`` says that the user has decided."""

    changed = Signal()

    def __init__(self, settings: SettingsStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._texts: set[str] = set()

    def begin(self, path: Path, code: Mapping[str, str]) -> None:
        """Take over what was agreed to for a project that is opened now."""
        self._texts.clear()
        self.recognise(path, code)

    def recognise(self, path: Path, code: Mapping[str, str]) -> None:
        """Trust code that is just as it was agreed to for this project."""
        known = self._settings.value.trusted.get(str(path))
        if known is not None and code_digest(code) in (known.saved, known.unsaved):
            self.note(code.values())

    def covers(self, code: Mapping[str, str]) -> bool:
        """Return whether all of this code may run; what ships with the program always may."""
        others = (text for text in code.values() if not is_shipped((text,)))
        return all(_hash(text) in self._texts for text in others)

    def covers_run(self, code: Mapping[str, str]) -> bool:
        """Return whether the code of a run may run: it is trusted now, or was when it started."""
        return self.covers(code) or code_digest(code) in self._settings.value.trusted_runs

    def covers_resume(self, project: Path, run: str) -> bool:
        """Return whether the code of a run of a project may run when it goes on."""
        try:
            return self.covers_run(find_run(project, run).document.graph.code)
        except DiagnosticError:
            return False  # resuming says why it cannot be read

    def note_run(self, code: Mapping[str, str]) -> None:
        """Remember that a run of this code was started by the user, if it is trusted."""
        known, digest = self._settings.value.trusted_runs, code_digest(code)
        if code and self.covers(code) and digest not in known:
            self._settings.change(trusted_runs=(*known, digest)[-_MOST_RUNS:])

    def judge(self, before: Graph, after: Graph, *, is_foreign: bool) -> None:
        """Trust what an edit in this window does to trusted code; what it brings from elsewhere
        only where it was trusted before.
        """
        if after.code is before.code:
            return
        is_own = not is_foreign and self.covers(before.code)
        if is_own or code_digest(after.code) in self._settings.value.trusted_runs:
            self.note(after.code.values())

    def note(self, texts: Iterable[str]) -> None:
        """Trust texts that come from the user's own hand, or from the program itself."""
        self._texts.update(map(_hash, texts))

    def agree(self, path: Path, code: Mapping[str, str]) -> None:
        """Trust the code of a project, now and when it is opened again."""
        self.note(code.values())
        self.keep(path, code)
        self.changed.emit()

    def withdraw(self, path: Path) -> None:
        """Trust nothing of a project any more."""
        self._texts.clear()
        others = dict(self._settings.value.trusted)
        if others.pop(str(path), None) is not None:
            self._settings.change(trusted=others)
        self.changed.emit()

    def keep(self, path: Path, code: Mapping[str, str], *, is_saved: bool = True) -> None:
        """Remember that the code of a project is trusted, if it is; also of unsaved work, which is
        offered after a crash.
        """
        if not code or not self.covers(code):
            return
        digest, known = code_digest(code), self._settings.value.trusted
        before = known.get(str(path), TrustedCode())
        now = TrustedCode(
            saved=digest if is_saved else before.saved, unsaved="" if is_saved else digest
        )
        if now != before:
            others = {name: held for name, held in known.items() if name != str(path)}
            kept = list(others.items())[-_MOST_PROJECTS + 1 :]
            self._settings.change(trusted=dict([*kept, (str(path), now)]))


@lru_cache(maxsize=256)  # asked at every change, about the same texts
def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
