"""The progress of a run, a download or a check as a line: rewritten on a terminal, one for each
epoch or file elsewhere.
"""

import time
from typing import TextIO

from typing_extensions import override

from engine.diagnostics import printable
from engine.query.download.request import DownloadProgress
from engine.query.predicting.request import PredictionProgress
from engine.runs.record.state import RunState
from engine.spec.progress import FileProgress
from studio.cli.output import number
from studio.cli.wording import said

_INTERVAL_S = 0.2
_MOST_METRICS = 12  # of classes each there may be hundreds; all are printed at the end
_ERASE = "\r\x1b[K"


class _Line:
    """A line on one stream, written from one thread."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._is_terminal = stream.isatty()
        self._is_open = False

    def close(self) -> None:
        """End the line."""
        if self._is_open:
            self._stream.write("\n")
            self._stream.flush()

    def _rewrite(self, text: str) -> None:
        self._stream.write(_ERASE + text)
        self._is_open = True


class Progress(_Line):
    """Writes where a run is, and what it warns of."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._epoch = 0
        self._shown_at = 0.0

    def tell(self, text: str) -> None:
        """Write a line above the one that is rewritten."""
        erase = _ERASE if self._is_terminal else ""
        self._stream.write(f"{erase}{printable(text)}\n")
        self._stream.flush()
        self._is_open = False
        self._shown_at = 0.0

    def show(self, state: RunState) -> None:
        """Show where the run is, unless that was done just now."""
        if self._is_terminal:
            now = time.monotonic()
            if now - self._shown_at < _INTERVAL_S:
                return
            self._shown_at = now
            self._rewrite(line(state))
        elif state.epoch > self._epoch:
            self._epoch = state.epoch
            self._stream.write(line(state) + "\n")
        self._stream.flush()


class DownloadLine(_Line):
    """Writes how far a download is."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._file = ("", "")

    def show(self, progress: DownloadProgress) -> None:
        """Show what is being downloaded or unpacked."""
        text = f"{progress.stage} {progress.file}"
        if progress.total:
            text += f"  {progress.done / 1e6:,.1f} of {progress.total / 1e6:,.1f} MB"
        file = (progress.stage, progress.file)
        if self._is_terminal:
            self._rewrite(printable(text))
        elif file != self._file:
            self._stream.write(printable(text) + "\n")
        self._file = file
        self._stream.flush()


class PassingLine(_Line):
    """Writes how far work is, on a terminal only, and leaves nothing of it there."""

    def _show(self, text: str) -> None:
        if self._is_terminal:
            self._rewrite(text)
            self._stream.flush()

    @override
    def close(self) -> None:
        """Erase the line."""
        if self._is_open:
            self._stream.write(_ERASE)
            self._stream.flush()


class CertificateLine(_Line):
    """Writes how many steps of a certificate are taken, on a terminal only."""

    def show(self, done: int, whole: int) -> None:
        """Show it."""
        if self._is_terminal:
            self._rewrite(said("certifying: {done} of {whole} steps", done=done, whole=whole))
            self._stream.flush()


class PredictionLine(PassingLine):
    """Writes how many samples are predicted."""

    def show(self, progress: PredictionProgress) -> None:
        """Show how many of all are done."""
        if progress.found:
            self._show(said("{count} files looked at", count=f"{progress.found:,}"))
            return
        done, total = f"{progress.done:,}", max(progress.done, progress.total)
        text = said("{done} of {total} samples", done=done, total=f"{total:,}")
        self._show(text if progress.total else said("{done} samples", done=done))


class ReadingLine(PassingLine):
    """Writes how far the reading of data is, where it takes long."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._shown_at = time.monotonic()

    def show(self, progress: FileProgress) -> None:
        """Show how many files or rows have been read, from time to time."""
        now = time.monotonic()
        if progress.unit not in ("files", "rows") or now - self._shown_at < _INTERVAL_S:
            return
        self._shown_at = now
        count = f"{progress.done:,}"
        if progress.unit == "files":
            self._show(said("{count} files looked at", count=count))
        else:
            self._show(said("{count} rows read", count=count))


class CheckLine(PassingLine):
    """Writes how far a check of data is."""

    def show(self, share: float) -> None:
        """Show how much of the data is checked."""
        self._show(said("{share} of the data checked", share=f"{share:.0%}"))


def line(state: RunState) -> str:
    """Return epoch, step, measures, speed and time left as one line."""
    if not state.steps_per_epoch:
        return said("starting")
    epoch, step = f"{state.epoch}/{state.epochs}", f"{state.step}/{state.total_steps}"
    if not state.total_steps:  # ends by time
        epoch, step = str(state.epoch), str(state.step)
    parts = [said("epoch {epoch}", epoch=epoch), said("step {step}", step=step)]
    shown = list(state.metrics.items())[:_MOST_METRICS]
    parts += [f"{name} {number(value)}" for name, value in shown]
    if more := len(state.metrics) - len(shown):
        parts.append(said("and {count} more", count=str(more)))
    if state.samples_per_s:
        parts.append(said("{rate} samples/s", rate=f"{state.samples_per_s:,.0f}"))
    if state.eta_s is not None:
        parts.append(said("{time} left", time=duration(state.eta_s)))
    return printable("  ".join(parts))


def duration(seconds: float) -> str:
    """Return a time for people: 42 s, 3 min 5 s, 2 h 10 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
