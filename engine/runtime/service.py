"""A prediction service of a run in a process of its own, which ends with this one. It is what the
export of that name writes: exported into a folder for the time being, and started there.
"""

import os
import shutil
import socket
import sys
import threading
import zipfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import msgspec

from engine.decoding import json_decoder
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.query.export.request import (
    ExportFailed,
    ExportMessage,
    ExportStage,
    ExportWritten,
    WriteExport,
)
from engine.runtime.job.job import Job
from engine.runtime.job.request_job import ExportJob
from engine.spec.export_stage import Stage

ServiceStep = Stage | Literal["start"]
"""What a service is at before it answers: a stage of its export, or that its process starts."""

_FORMAT = "service"
_PACKAGES = {
    "fastapi": "fastapi",
    "uvicorn": "uvicorn",
    "python_multipart": "python-multipart",
}


class Serve(msgspec.Struct, frozen=True, kw_only=True):
    """Serve a checkpoint. ``port`` 0 is the first free one from 8000; ``hosts`` are further names
    that it may be called by; ``trusted`` lets custom code run.
    """

    run_folder: str
    checkpoint: str = "best"
    host: str = "127.0.0.1"
    port: int = 0
    max_mb: int = 16
    timeout_s: float = 30.0
    hosts: tuple[str, ...] = ()
    trusted: bool = False


class ServiceStage(msgspec.Struct, frozen=True, kw_only=True):
    """What it is at before it answers."""

    stage: ServiceStep


class ServiceStarted(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="started"):
    """It answers at an address. ``checkpoint`` is the file that is served."""

    url: str
    checkpoint: str = ""


class ServiceLine(msgspec.Struct, frozen=True, kw_only=True):
    """A request that was answered: when, with which status, after how many milliseconds, whose."""

    at: float
    path: str
    status: int
    ms: float
    client: str


class ServiceServed(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="served"):
    """How many requests were answered by now and how many of them not well, and the latest."""

    requests: int
    failed: int
    lines: tuple[ServiceLine, ...] = ()


class _NotStarted(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="failed"):
    """Its address cannot be used."""

    text: str


class ServiceFailed(msgspec.Struct, frozen=True, kw_only=True):
    """It does not answer (any more), and why."""

    problems: tuple[Diagnostic, ...]


ServiceMessage = ServiceStage | ServiceStarted | ServiceServed | ServiceFailed


def require_packages() -> None:
    """Raise :class:`DiagnosticError` (X058) where packages of the extra are not installed."""
    missing = [package for name, package in _PACKAGES.items() if find_spec(name) is None]
    if missing:
        names, needs = ", ".join(missing), " ".join(missing)
        raise DiagnosticError.of("X058", packages=names, needs=needs)


class ServiceJob:
    """One service. ``tell`` is called with what it says, on a thread; after ``ServiceFailed`` and
    after :meth:`cancel` nothing more is told.
    """

    def __init__(self, request: Serve, tell: Callable[[ServiceMessage], object]) -> None:
        self._request = request
        self._tell = tell
        self._lock = threading.Lock()
        self._is_cancelled = False
        self._work: ExportJob | Job | None = None
        self._checkpoint = ""
        self._folder: Path | None = None
        self._problems: tuple[Diagnostic, ...] = ()
        self._thread = threading.Thread(target=self._run, name="service", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def cancel(self) -> None:
        """End it: its process is ended, and its thread ends with it."""
        with self._lock:
            self._is_cancelled = True
            work = self._work
        if isinstance(work, ExportJob):
            work.cancel()
        elif work is not None:
            work.kill()
            if self._folder is not None:  # the program may end before the thread does
                shutil.rmtree(self._folder, ignore_errors=True)

    def close(self) -> None:
        """End it and wait until nothing is left of it."""
        self.cancel()
        if self._thread.ident is not None:
            self._thread.join()

    def _run(self) -> None:
        try:
            require_packages()
            self._require_address()
            with TemporaryDirectory(prefix="trellis-service-", ignore_cleanup_errors=True) as made:
                self._folder = folder = Path(made)
                program = self._exported(folder)
                if program is not None:
                    self._serve(program)
        except DiagnosticError as error:
            self._say(ServiceFailed(problems=error.problems))
        except OSError as error:
            self._say(ServiceFailed(problems=(Diagnostic(code="E015", detail=str(error)),)))

    def _require_address(self) -> None:
        """Raise :class:`DiagnosticError` (X054) where the address cannot be used."""
        request = self._request
        try:
            found = socket.getaddrinfo(request.host, request.port, type=socket.SOCK_STREAM)
            with socket.socket(found[0][0], socket.SOCK_STREAM) as tried:
                if os.name == "posix":  # one that was served at just now is free
                    tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                tried.bind((request.host, request.port))
        except (OSError, UnicodeError) as error:
            raise DiagnosticError(self._refused(str(error))) from error

    def _refused(self, reason: str) -> Diagnostic:
        request = self._request
        return Diagnostic.of("X054", host=request.host, port=request.port, reason=reason)

    def _exported(self, folder: Path) -> Path | None:
        """Return the program of the service; None where it was given up. Raises
        :class:`DiagnosticError`.
        """
        request = self._request
        archive = folder / f"{_FORMAT}.zip"
        asked = WriteExport(
            run_folder=request.run_folder,
            format=_FORMAT,
            output=str(archive),
            checkpoint=request.checkpoint,
            trusted=request.trusted,
        )
        export = ExportJob(asked, self._hear)
        if not self._begin(export):
            return None
        export.start()
        export.wait()
        if self._is_cancelled:
            return None
        if self._problems:
            raise DiagnosticError(*self._problems)
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(folder)
        archive.unlink()
        return folder / _FORMAT / "service.py"

    def _hear(self, message: ExportMessage) -> None:
        match message:
            case ExportStage(stage=stage):
                self._say(ServiceStage(stage=stage))
            case ExportWritten(report=report):
                self._checkpoint = report.checkpoint
            case ExportFailed(problems=problems):
                self._problems = problems
            case _:
                return

    def _serve(self, program: Path) -> None:
        self._say(ServiceStage(stage="start"))
        request = self._request
        command = [sys.executable, "-E", "-s", str(program), "--messages", "--temporary"]
        command += ["--host", request.host, "--port", str(request.port)]
        command += ["--max-mb", str(request.max_mb), "--timeout", str(request.timeout_s)]
        for name in request.hosts:
            command += ["--allow-host", name]
        job = Job(command)
        refusal = ""
        try:
            if not self._begin(job):
                job.kill()
            decoder = json_decoder(ServiceStarted | ServiceServed | _NotStarted)
            for line in job.output:
                if not line.endswith(b"\n"):
                    break  # it was ended in the middle of a word
                message = decoder.decode(line)
                if isinstance(message, _NotStarted):
                    refusal = message.text
                elif isinstance(message, ServiceStarted):
                    self._say(msgspec.structs.replace(message, checkpoint=self._checkpoint))
                else:
                    self._say(message)
        finally:
            ending = job.end()
        self._say(ServiceFailed(problems=(self._problem(refusal, ending.words, ending.code),)))

    def _problem(self, refusal: str, words: str, code: int) -> Diagnostic:
        """Return why a service is over that nobody ended."""
        if refusal:
            return self._refused(refusal)
        last = words.strip().rpartition("\n")[2] or f"exit code {code}"
        return Diagnostic(code="X055", params={"reason": last}, detail=words)

    def _begin(self, work: ExportJob | Job) -> bool:
        """Take what can be ended; return whether it is still wanted."""
        with self._lock:
            self._work = work
            return not self._is_cancelled

    def _say(self, message: ServiceMessage) -> None:
        if not self._is_cancelled:
            self._tell(message)
