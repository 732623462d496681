"""Certification of a run: it goes on in one process, and from the middle in another one.

Both train a copy of the run beside it, which goes away afterwards; nothing of the run is changed
but its certificate.
"""

import contextlib
import os
import platform
import secrets
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.files import copy_file, describe_os_error
from engine.runs.certificate import (
    FEWEST_STEPS,
    MOST_STEPS,
    Certificate,
    Comparison,
    compare_traces,
    probable_reason,
    write_certificate,
)
from engine.runs.folder import RunFolder, installed_versions
from engine.runs.follow import read_state
from engine.runs.process.gpus import gpu_environment
from engine.runs.process.launch import Launch, Trace, worker_arguments
from engine.runs.record.shard_folder import SUFFIX
from engine.runs.record.state import CheckpointInfo, RunState, RunStatus
from engine.runs.record.store import STORE_NAME
from engine.runs.record.trace import count_steps
from engine.runs.teacher import copied_files
from engine.runtime.job.child import start_worker
from engine.runtime.run import RunHandle
from engine.spec.length import MOST_MINUTES
from engine.spec.run import TOGETHER

_POLL_S = 0.05
_PREFIX = "certificate-"
_FITS = ("normalization.json", "tokenizers.json", "fields.json", "columns.json", "parts.msgpack")

Tell = Callable[[int, int], object]
"""What is called with the steps that are taken, and how many there will be."""


def begin_worker(folder: RunFolder, launch: Launch) -> RunHandle:
    """Train in a process of its own. Raises :class:`DiagnosticError` where none can be started."""
    environment = gpu_environment(folder.document.spec.compute.gpus)
    return RunHandle(folder, process=start_worker(worker_arguments(launch), environment))


class Certification:
    """Certification of the ``steps`` steps after a resume; :meth:`run` works at it, on any thread,
    and :meth:`cancel` gives it up from another one.

    It goes on from the checkpoint ``file`` of the run; without one from the newest that has steps
    enough before it, or else from the last, beyond the end that was planned.
    """

    def __init__(
        self,
        folder: RunFolder,
        steps: int,
        *,
        file: str = "",
        trusted: bool = False,
        begin: Callable[[RunFolder, Launch], RunHandle] = begin_worker,
    ) -> None:
        self._folder = folder
        self.steps = steps
        self._lead = max(1, steps // 2)  # before the checkpoint that the other process has
        self._file = file
        self._trusted = trusted
        self._begin = begin
        self._is_cancelled = threading.Event()

    def cancel(self) -> None:
        """Give it up: :meth:`run` ends soon, with nothing found."""
        self._is_cancelled.set()

    def run(self, tell: Tell = lambda _done, _of: None) -> Certificate | None:
        """Compare, keep the certificate with the run and return it; None after :meth:`cancel`.

        Raises :class:`DiagnosticError`: K015 for a run without a checkpoint, R450 for a number of
        steps that is none, R451 where a process ends unexpectedly, and what keeps the run from
        going on.
        """
        if not FEWEST_STEPS <= self.steps <= MOST_STEPS:
            raise DiagnosticError.of("R450", steps=self.steps, most=MOST_STEPS)
        state = read_state(self._folder)
        start = self._start(state)
        try:
            copy = _copied(self._folder, start)
        except OSError as error:
            raise DiagnosticError(
                describe_os_error(error, self._folder.path.parent, "write")
            ) from error
        try:
            certificate = self._compare(copy, state, start, tell)
        finally:
            shutil.rmtree(copy.path, ignore_errors=True)
        if certificate is not None:
            write_certificate(self._folder.path, certificate)
        return certificate

    def _start(self, state: RunState) -> CheckpointInfo:
        there = [i for i in state.checkpoints if (self._folder.checkpoints / i.file).is_file()]
        if not there:
            raise DiagnosticError.of("K015", run=self._folder.id)
        if self._file:
            named = [info for info in there if info.file == self._file]
            if not named:
                known = ", ".join(info.file for info in there)
                raise DiagnosticError.of("K013", run=self._folder.id, name=self._file, known=known)
            return named[0]
        end = state.total_steps - self._lead - self.steps
        return next((info for info in reversed(there) if info.step <= end), there[-1])

    def _compare(
        self, copy: RunFolder, state: RunState, start: CheckpointInfo, tell: Tell
    ) -> Certificate | None:
        middle, last = start.step + self._lead, start.step + self._lead + self.steps
        more = _length_for(state, last)
        traces = [copy.path / "unbroken.jsonl", copy.path / "resumed.jsonl"]
        whole = self._lead + 2 * self.steps
        order = Trace(file=str(traces[0]), middle=middle, last=last)
        ended = self._train(copy, start.file, order, more, lambda done: tell(done, whole))
        if ended is None:
            return None
        found = next((i for i in ended.checkpoints if i.step == middle), None)
        if found is None:  # it ended before, as early stopping has it
            raise DiagnosticError.of("R458", step=ended.step, wanted=middle)
        order = Trace(file=str(traces[1]), middle=middle, last=last)
        done_before = self._lead + self.steps
        if self._train(copy, found.file, order, 0, lambda d: tell(done_before + d, whole)) is None:
            return None
        compared = compare_traces(*traces)
        return self._certificate(start, middle, compared, ended)

    def _train(
        self,
        copy: RunFolder,
        file: str,
        order: Trace,
        length: float,
        tell: Callable[[int], object],
    ) -> RunState | None:
        """Train the copy in a process to the end of a trace; None where it is given up."""
        spec = copy.document.spec
        launch = Launch(
            folder=str(copy.path.absolute()),
            resume=file,
            length=length,
            commands_from=copy.commands_size(),
            trusted=self._trusted,
            nproc=spec.nproc if spec.mode in TOGETHER else 1,
            sharded=spec.mode == "fsdp",
            trace=order,
        )
        handle = self._begin(copy, launch)
        while handle.is_alive():
            if self._is_cancelled.wait(_POLL_S):
                handle.stop()
                return None
            tell(max(count_steps(Path(order.file)) - 1, 0))
        if self._is_cancelled.is_set():
            return None
        state = read_state(copy)
        if state.status is RunStatus.FAILED and state.problem is not None:
            raise DiagnosticError(state.problem)
        if state.status not in (RunStatus.FINISHED, RunStatus.STOPPED):
            raise DiagnosticError.of("R451")
        return state

    def _certificate(
        self, start: CheckpointInfo, middle: int, compared: Comparison, state: RunState
    ) -> Certificate:
        document, difference = self._folder.document, compared.difference
        reason: Diagnostic | None = None
        if difference is not None:
            reason = probable_reason(document, difference, state.device)
        spec = document.spec
        return Certificate(
            time=time.time(),
            checkpoint=start.file,
            first=start.step,
            resumed=middle,
            last=compared.last,
            values=compared.values,
            weights=compared.weights,
            difference=difference,
            reason=reason,
            device=state.device,
            processes=spec.nproc if spec.mode in TOGETHER else 1,
            workers=spec.data.loader.num_workers,
            threads=state.threads,
            system=f"{platform.system()} {platform.release()}, {platform.machine()}",
            versions={"python": platform.python_version(), **installed_versions()},
        )


class CertifyProgress(NamedTuple):
    """How many steps are taken, of how many in both processes."""

    done: int
    whole: int


class CertifyFailed(NamedTuple):
    """Why there is no certificate."""

    problems: tuple[Diagnostic, ...]


CertifyMessage = CertifyProgress | CertifyFailed | Certificate


class CertifyJob:
    """A certification on a thread of its own. ``tell`` is called there with what it says; the last
    is the certificate, or why there is none. After :meth:`cancel` nothing more is told.
    """

    def __init__(
        self, certification: Certification, tell: Callable[[CertifyMessage], object]
    ) -> None:
        self._certification = certification
        self._tell = tell
        self._thread = threading.Thread(target=self._work, name="certification", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def cancel(self) -> None:
        """Give it up."""
        self._certification.cancel()

    def _work(self) -> None:
        try:
            found = self._certification.run(self._progress)
        except DiagnosticError as error:
            self._tell(CertifyFailed(error.problems))
            return
        if found is not None:
            self._tell(found)

    def _progress(self, done: int, whole: int) -> None:
        self._tell(CertifyProgress(done, whole))


def _copied(folder: RunFolder, start: CheckpointInfo) -> RunFolder:
    """Return a copy of a run beside it, with one of its checkpoints; what is left of an earlier one
    goes. Beside it, because what the run names in its project is there too.
    """
    parent = folder.path.parent
    for left in parent.glob(f"{_PREFIX}*"):
        if not RunFolder(left, folder.document).is_alive():
            shutil.rmtree(left, ignore_errors=True)
    path = parent / f"{_PREFIX}{secrets.token_hex(4)}"
    path.mkdir(mode=0o700)
    try:
        copy = RunFolder(path, folder.document)
        copy.checkpoints.mkdir()
        copy.artefacts.mkdir()
        copy.write_document()
        _copy_record(folder.path / STORE_NAME, path / STORE_NAME)
        _link(folder.checkpoints / start.file, copy.checkpoints / start.file)
        shards = (folder.checkpoints / start.file).with_suffix(SUFFIX)
        for part in shards.glob("*"):
            _link(part, copy.checkpoints / shards.name / part.name)
        for file in copied_files(folder.path):
            target = path / file.relative_to(folder.path)
            target.parent.mkdir(exist_ok=True)
            copy_file(file, target)
        for name in _FITS:
            if (folder.artefacts / name).is_file():
                copy_file(folder.artefacts / name, copy.artefacts / name)
    except BaseException:
        shutil.rmtree(path, ignore_errors=True)
        raise
    return copy


def _copy_record(source: Path, target: Path) -> None:
    with (
        contextlib.closing(sqlite3.connect(f"{source.as_uri()}?mode=ro", uri=True)) as one,
        contextlib.closing(sqlite3.connect(target)) as other,
    ):
        one.backup(other)


def _link(source: Path, target: Path) -> None:
    """Have a file at a second place, by a link where the disk has those: no file of a checkpoint is
    ever changed.
    """
    target.parent.mkdir(exist_ok=True)
    try:
        os.link(source, target)
    except OSError:
        copy_file(source, target)


def _length_for(state: RunState, last: int) -> float:
    """Return how long a run has to be to take the step ``last``; 0 where it is long enough."""
    if state.minutes:
        return MOST_MINUTES
    if state.steps:
        return last if last > state.steps else 0
    epochs = -(-last // state.steps_per_epoch) if state.steps_per_epoch else 0
    return epochs if epochs > state.epochs else 0
