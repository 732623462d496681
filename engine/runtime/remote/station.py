"""The far end of a run on another machine: ``python -m engine.runtime.remote.station FOLDER RUN``.

It runs there, as long as SSH holds: it answers the requests of :mod:`protocol` that come on its
standard input. The run that it starts is a process of its own and goes on without it. ``FOLDER``
stands for the project.
"""

import os
import sys
import threading
import time
from pathlib import Path
from typing import BinaryIO

import msgspec
import numpy as np

from engine.decoding import msgpack_decoder
from engine.diagnostics import DiagnosticError
from engine.files import atomic_write, describe_os_error, open_file
from engine.runs.folder import RunFolder
from engine.runs.follow import RunFollower, read_state
from engine.runs.process.gpus import gpu_environment
from engine.runs.process.launch import Launch, worker_arguments
from engine.runs.record.state import RunStatus
from engine.runs.record.store import RunStore, StoredSample
from engine.runtime.job.child import start_worker
from engine.runtime.remote import protocol
from engine.runtime.run import attach_run
from engine.spec.data_root import environment_roots, root_variable

_POLL_S = 0.05
_REQUEST = msgpack_decoder(protocol.Request)


class Station:
    """Answers requests about one run."""

    def __init__(self, project: Path, run: str) -> None:
        self._project = project
        self._path = project / "runs" / run
        self._follower: RunFollower | None = None
        self._stopping: threading.Thread | None = None

    def answer(self, request: protocol.Request) -> protocol.Answer:
        """Return the answer to a request. Raises ``DiagnosticError`` and ``OSError``."""
        match request:
            case protocol.PutFile():
                self._put(request)
            case protocol.Begin():
                self._begin(request.launch, request.roots)
            case protocol.Tell():
                self._folder().send(request.command)
            case protocol.End():
                self._end()
            case protocol.Look():
                return self._news(request)
            case protocol.ListFiles():
                return protocol.FileList(files=dict(self._files()))
            case protocol.GetPiece():
                return self._piece(request)
        return protocol.Done()

    def close(self) -> None:
        """Let go of the run; it goes on."""
        if self._follower is not None:
            self._follower.close()

    def _put(self, request: protocol.PutFile) -> None:
        target = protocol.inside(self._project, request.path)
        if request.offset:
            with target.open("r+b") as stream:
                stream.seek(request.offset)
                stream.write(request.content)
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(target, request.content)

    def _folder(self) -> RunFolder:
        return RunFolder.open(self._path)

    def _begin(self, launch: Launch, roots: dict[str, str]) -> None:
        folder = self._folder()
        if folder.is_alive():
            return
        folder.checkpoints.mkdir(exist_ok=True)
        folder.artefacts.mkdir(exist_ok=True)
        start = folder.commands_size() if launch.resume else 0
        launch = msgspec.structs.replace(launch, folder=str(self._path), commands_from=start)
        gpus = folder.document.spec.compute.gpus
        environment = {**os.environ, **root_variable(environment_roots() | roots)}
        environment = gpu_environment(gpus, environment) or environment
        process = start_worker(worker_arguments(launch), environment)
        while (code := process.poll()) is None and not folder.is_alive():
            time.sleep(_POLL_S)
        if code is not None and read_state(folder).status is RunStatus.STARTING:
            raise DiagnosticError.of("R415", code=code)

    def _end(self) -> None:
        """Stop the run on a thread of its own: what it still tells is to be followed."""
        if self._stopping is None:
            handle = attach_run(self._path)
            self._stopping = threading.Thread(target=handle.stop, name="stopping", daemon=True)
            self._stopping.start()

    def _news(self, asked: protocol.Look) -> protocol.News:
        if self._follower is None:
            self._follower = RunFollower(self._folder())
        state, _ = self._follower.poll()
        is_over = state.status.is_over() and not self._follower.folder.is_alive()
        store = self._follower.store
        if store is None:
            return protocol.News(is_over=is_over)
        samples, is_cut = _samples(store, asked.sample)
        curves, is_cut_there = _curves(store, asked.curves)
        return protocol.News(
            events=tuple(store.events(asked.event)),
            curves=curves,
            samples=samples,
            is_over=is_over and not (is_cut or is_cut_there),
        )

    def _files(self) -> list[tuple[str, tuple[int, int]]]:
        found: list[tuple[str, tuple[int, int]]] = []
        for folder, inner, names in os.walk(self._path):
            inner[:] = [name for name in inner if not name.startswith((".", "__"))]
            for name in names:
                path = Path(folder, name)
                place = path.relative_to(self._path).as_posix()
                if protocol.is_shared(place) and path.is_file():
                    stat = path.stat()
                    found.append((place, (stat.st_size, stat.st_mtime_ns)))
        return found

    def _piece(self, asked: protocol.GetPiece) -> protocol.Piece:
        try:
            with open_file(protocol.inside(self._path, asked.path)) as stream:
                stream.seek(asked.offset)
                return protocol.Piece(content=stream.read(protocol.PIECE))
        except FileNotFoundError:
            return protocol.Piece(is_gone=True)


def _curves(
    store: RunStore, cursors: dict[str, int]
) -> tuple[dict[str, protocol.CurvePiece], bool]:
    """Return what came since of the curves, and whether there is more."""
    found: dict[str, protocol.CurvePiece] = {}
    size = 0
    for name in store.series_names():
        if size > protocol.NEWS:
            return found, True
        points = store.scalars(name, cursors.get(name, 0))
        if len(points.steps):
            found[name] = protocol.CurvePiece(
                cursor=points.cursor,
                steps=np.asarray(points.steps, "<i8").tobytes(),
                values=np.asarray(points.values, "<f8").tobytes(),
            )
            size += 16 * len(points.steps)
    return found, False


def _samples(store: RunStore, after: int) -> tuple[tuple[protocol.SamplePiece, ...], bool]:
    """Return the statistics that came since, and whether there are more."""
    found: list[protocol.SamplePiece] = []
    size = 0
    for stored in store.samples(after):
        if size > protocol.NEWS:
            return tuple(found), True
        found.append(_sample(stored))
        size += len(found[-1].numbers) + len(found[-1].counts) + 32 * len(found[-1].keys)
    return tuple(found), False


def _sample(stored: StoredSample) -> protocol.SamplePiece:
    return protocol.SamplePiece(
        id=stored.id,
        step=stored.step,
        keys=stored.keys,
        numbers=np.asarray(stored.numbers, "<f4").tobytes(),
        counts=np.asarray(stored.counts, "<u2").tobytes(),
    )


def serve(station: Station, given: BinaryIO, told: BinaryIO) -> None:
    """Answer requests until there are no more."""
    while (content := protocol.receive(given)) is not None:
        request = _REQUEST.decode(content)
        try:
            answer = station.answer(request)
        except DiagnosticError as error:
            answer = protocol.Failed(problems=error.problems)
        except OSError as error:
            is_written = isinstance(request, protocol.PutFile | protocol.Begin)
            place = Path(error.filename or ".")
            problem = describe_os_error(error, place, "write" if is_written else "read")
            answer = protocol.Failed(problems=(problem,))
        protocol.send(told, answer)


def main(arguments: list[str]) -> int:
    """Answer on standard output; what else is printed goes to the error output."""
    told = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    station = Station(Path(arguments[0]), arguments[1])
    try:
        serve(station, sys.stdin.buffer, told)
    except BrokenPipeError:
        return 1  # nobody listens any more
    finally:
        station.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
