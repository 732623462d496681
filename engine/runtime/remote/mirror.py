"""Writing here what a run writes on another machine: its record, its artefacts, its checkpoints.

A file is here before the event that names it. When the run begins again there (a resume, or a lost
process), the record here is taken over anew: what it took back there is gone here too.
"""

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

import msgspec
import numpy as np

from engine.decoding import convert
from engine.diagnostics import printable
from engine.events import (
    CheckpointRemoved,
    CheckpointSaved,
    RunEnded,
    RunEvent,
    RunStarted,
    StepDone,
)
from engine.files import WriteTarget, atomic_write, open_append
from engine.runs.folder import RunFolder
from engine.runs.record.journal import RunJournal
from engine.runs.record.shard_folder import SUFFIX, remove_parts
from engine.runs.record.statistic import Key, Sample
from engine.runtime.remote import protocol

Ask = Callable[[protocol.Request], protocol.Answer]
_GROWTH = 16 << 20  # of a file while it is fetched
_MOST_FILES = 100_000
_MOST_BYTES = 1 << 44
_CHECKPOINTS = "checkpoints"
_LOG = "log.txt"


class Mirror:
    """The folder of a run here. ``end`` is how the run ended there; it is for the caller to write
    when all is here. What the machine answers may be anything: ``ValueError`` or ``MsgspecError``
    is raised for what this program would not.
    """

    def __init__(self, folder: RunFolder, journal: RunJournal) -> None:
        self.end: RunEnded | None = None
        self._folder = folder
        self._journal = journal
        self._look = protocol.Look()
        self._logged = 0
        self._known: dict[str, tuple[int, int]] = {}
        self._awaited: list[CheckpointSaved] = []
        self._is_anew = True

    def look(self, ask: Ask) -> bool:
        """Take over what came since; return whether nobody trains the run any more."""
        news = _news(ask(self._look))
        events = [event for _, event in news.events]
        if self._look.event and any(isinstance(event, RunStarted) for event in events):
            self._begin_anew()
            return False
        if any(not isinstance(event, StepDone) for event in events) or news.is_over:
            self._fetch_small(ask)
        if self._is_anew and events:  # with what takes its place, in one
            self._is_anew = False
            self._journal.clear()
        for name, piece in news.curves.items():
            self._journal.extend(name, *_points(piece))
        for piece in news.samples:
            self._journal.extend_statistics(piece.step, _sample(piece))
        for event in events:
            self._take(event)
        self._journal.commit()
        self._look = protocol.Look(
            event=max((number for number, _ in news.events), default=self._look.event),
            sample=max((piece.id for piece in news.samples), default=self._look.sample),
            curves={**self._look.curves, **{k: piece.cursor for k, piece in news.curves.items()}},
        )
        return news.is_over

    def fetch_checkpoint(self, ask: Ask) -> bool:
        """Fetch the oldest checkpoint that is not here yet and tell it; return whether one was.

        ``ask`` may look for what is new between two pieces: a long transfer holds nothing up.
        """
        if not self._awaited:
            return False
        saved = self._awaited[0]
        place = f"{_CHECKPOINTS}/{saved.file}"
        parts = f"{PurePosixPath(place).with_suffix(SUFFIX)}/"
        files = _files(ask(protocol.ListFiles()))
        wanted = [*(name for name in files if name.startswith(parts)), place]  # the file comes last
        is_here = all(self._fetch(ask, name, files.get(name, (0, 0))[0]) for name in wanted)
        if saved in self._awaited:  # else it was taken back meanwhile
            self._awaited.remove(saved)
            if is_here:
                self._journal.append(saved)
        return True

    def _begin_anew(self) -> None:
        self._look = protocol.Look()
        self._awaited = []
        self.end = None
        self._is_anew = True

    def _take(self, event: RunEvent) -> None:
        match event:
            case RunStarted():
                self.end = None  # the end of the session before
                event = msgspec.structs.replace(event, pid=os.getpid())
            case RunEnded():
                self.end = event
                return
            case CheckpointSaved() if not self._checkpoint(event.file).exists():
                self._awaited.append(event)
                return
            case CheckpointRemoved():
                self._awaited = [saved for saved in self._awaited if saved.file != event.file]
                self._checkpoint(event.file).unlink(missing_ok=True)
                remove_parts(self._checkpoint(event.file))
            case _:
                pass
        self._journal.collect(event)

    def _checkpoint(self, name: str) -> Path:
        return protocol.inside(self._folder.checkpoints, name)

    def _fetch_small(self, ask: Ask) -> None:
        """Fetch what was written there since, but for checkpoints."""
        for name, known in _files(ask(protocol.ListFiles())).items():
            if name == _LOG:
                self._fetch_log(ask, known[0])
            elif not name.startswith(f"{_CHECKPOINTS}/") and self._known.get(name) != known:
                self._fetch(ask, name, known[0])
                self._known[name] = known  # not before: the connection may be lost meanwhile

    def _fetch(self, ask: Ask, name: str, size: int) -> bool:
        """Fetch a file of about a size whole; return whether it was there."""
        pieces = _pieces(ask, name, most=size + _GROWTH)
        first = next(pieces, None)
        if first is None:
            return False
        target = self._place(name)
        target.parent.mkdir(parents=True, exist_ok=True)

        def content(stream: WriteTarget) -> None:
            stream.write(first)
            for piece in pieces:
                stream.write(piece)

        atomic_write(target, content)
        return True

    def _place(self, name: str) -> Path:
        """Return where a file of the run is here.

        Raises :class:`DiagnosticError` (R417) for one that is not the other machine's to write.
        """
        if not protocol.is_shared(name):
            raise protocol.outside(self._folder.path, name)
        place = protocol.inside(self._folder.path, name)
        root = os.path.realpath(self._folder.path)
        if not Path(os.path.realpath(place)).is_relative_to(root):
            raise protocol.outside(self._folder.path, name)  # a link of a stranger's run
        return place

    def _fetch_log(self, ask: Ask, size: int) -> None:
        for piece in _pieces(ask, _LOG, self._logged, most=max(0, size - self._logged) + _GROWTH):
            with contextlib.suppress(OSError):  # a full disk costs lines of the log, not the run
                descriptor = open_append(self._folder.log_path)
                with os.fdopen(descriptor, "ab") as stream:
                    stream.write(piece)
            self._logged += len(piece)


def _pieces(ask: Ask, name: str, offset: int = 0, *, most: int) -> Iterator[bytes]:
    """Yield a file piece by piece, an empty first one of an empty file; nothing of none.

    Raises ``ValueError`` for one of more than ``most`` bytes.
    """
    is_first, end = True, offset + most
    while True:
        piece = ask(protocol.GetPiece(path=name, offset=offset))
        if not isinstance(piece, protocol.Piece):
            raise _unasked(piece)
        if piece.is_gone or not (piece.content or is_first):
            return
        offset += len(piece.content)
        if len(piece.content) > protocol.PIECE or offset > end:
            raise ValueError(f"more of {printable(name, 200)} than there was to be")
        yield piece.content
        is_first = False


def _news(answer: protocol.Answer) -> protocol.News:
    if not isinstance(answer, protocol.News):
        raise _unasked(answer)
    return answer


def _files(answer: protocol.Answer) -> dict[str, tuple[int, int]]:
    if not isinstance(answer, protocol.FileList):
        raise _unasked(answer)
    sizes = [size for size, _ in answer.files.values()]
    if len(sizes) > _MOST_FILES or min(sizes, default=0) < 0 or sum(sizes) > _MOST_BYTES:
        raise ValueError(f"{len(sizes):,} files of {sum(sizes):,} bytes")
    return answer.files


def _unasked(answer: protocol.Answer) -> ValueError:
    return ValueError(f"{type(answer).__name__} is no answer to what was asked")


def _points(piece: protocol.CurvePiece) -> tuple[list[int], list[float]]:
    steps = np.frombuffer(piece.steps, "<i8")
    values = np.frombuffer(piece.values, "<f8")
    if not len(steps) or len(steps) != len(values):
        raise ValueError(f"{len(steps)} steps with {len(values)} values")
    return steps.tolist(), values.tolist()


def _sample(piece: protocol.SamplePiece) -> Sample:
    rows = len(piece.keys)
    return Sample(
        convert(piece.keys, tuple[Key, ...]),
        np.frombuffer(piece.numbers, "<f4").reshape(rows, -1),
        np.frombuffer(piece.counts, "<u2").reshape(rows, -1),
    )
