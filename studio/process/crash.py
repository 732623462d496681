"""Crashes leave a report that the next session offers: faults of the machine and of Python."""

import faulthandler
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TextIO

import platformdirs

from engine.files import private_folder


def crash_folder() -> Path:
    """Return where crash reports are kept."""
    return Path(platformdirs.user_state_dir("trellis", appauthor=False)) / "crashes"


class CrashRecorder:
    """Writes down what ends the program or one of its handlers.

    ``last_report`` is the report of a session before this one that nobody has seen yet.
    ``on_error`` hears of an exception that nobody caught; the program goes on.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or crash_folder()
        self.on_error: Callable[[str, Path | None], object] = lambda _text, _path: None
        self.last_report: Path | None = None
        self._stream: TextIO | None = None
        self._previous = sys.excepthook

    @property
    def _fault_path(self) -> Path:
        return self._folder / "fault.txt"

    def start(self) -> None:
        """Begin to record; a fault of the session before becomes ``last_report``."""
        try:
            private_folder(self._folder)
            self.last_report = self._collect()
            self._stream = self._fault_path.open("w", encoding="utf-8")
        except OSError:
            self._stream = None  # nowhere to write: the program works all the same
        else:
            faulthandler.enable(self._stream)
        sys.excepthook = self._on_exception
        threading.excepthook = lambda args: self._on_exception(
            args.exc_type, args.exc_value, args.exc_traceback
        )

    def stop(self) -> None:
        """End recording; an orderly end leaves no fault file."""
        faulthandler.disable()
        sys.excepthook = self._previous
        threading.excepthook = threading.__excepthook__
        if self._stream is not None:
            self._stream.close()
            self._fault_path.unlink(missing_ok=True)

    def reports(self) -> list[Path]:
        """Return the reports that are kept, newest first."""
        return sorted(self._folder.glob("crash-*.txt"), reverse=True)

    def _collect(self) -> Path | None:
        """Keep what the session before left in its fault file, if it left anything."""
        if not self._fault_path.exists() or not self._fault_path.stat().st_size:
            return None
        return self._keep(self._fault_path.read_text(encoding="utf-8", errors="replace"))

    def _keep(self, text: str) -> Path:
        path = self._folder / time.strftime("crash-%Y%m%d-%H%M%S.txt")
        path.write_text(text, encoding="utf-8")
        for old in self.reports()[10:]:
            old.unlink(missing_ok=True)
        return path

    def _on_exception(
        self,
        kind: type[BaseException],
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        text = "".join(traceback.format_exception(kind, value, trace))
        sys.stderr.write(text)
        try:
            path: Path | None = self._keep(text)
        except OSError:
            path = None
        self.on_error(text, path)
