"""The process here of a run on another machine: ``python -m engine.runtime.remote.worker LAUNCH``.

``LAUNCH`` is a line of JSON (:class:`engine.runs.process.launch.Launch`). For all others it is the
worker of the run: it holds it, writes its record, takes its commands. It sends the run, follows it,
connects again when the connection is lost, and ends when all that the run wrote is here. SIGTERM
and SIGINT stop the run there. Exit codes as of :mod:`engine.train.worker`.
"""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import msgspec

from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.events import RunCommand, RunEnded, Warned
from engine.files import confined, open_file
from engine.graph.node_state.bypass import active
from engine.graph.node_state.initialization import files_of
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.locked_run import Interrupt, LockedRun
from engine.runs.machine.known_machine import KnownMachines
from engine.runs.machine.remote import Remote, RemoteRun, read_remote
from engine.runs.process.launch import launch_from_line
from engine.runs.record.log import redirect_output
from engine.runs.teacher import copied_files
from engine.runtime.remote import protocol
from engine.runtime.remote.link import Link, LinkLostError
from engine.runtime.remote.mirror import Mirror
from engine.runtime.remote.program import look_there, send_program
from engine.runtime.remote.ssh import unfit
from engine.spec.data_path import used_roots, with_relative_paths
from engine.spec.data_root import DataRoots, environment_roots, known_roots
from engine.spec.fields import fields

_EXIT_FAILED = 1
_EXIT_NOT_TAKEN = 3
_LOOK_S = 0.2
_FIRST_WAIT_S, _LONGEST_WAIT_S = 1.0, 30.0


class RemoteJob:
    """Sends a run to another machine and follows it there to its end."""

    def __init__(self, locked_run: LockedRun, place: RemoteRun, interrupt: Interrupt) -> None:
        self._locked_run = locked_run
        self._place = place
        self._interrupt = interrupt
        self._mirror = Mirror(locked_run.folder, locked_run.journal)
        self._program = self._base = ""
        self._link: Link | None = None
        self._is_over = self._is_ending = False
        self._looked_at = 0.0

    def run(self) -> RunEnded:
        """Return how the run ended; all that it wrote is here then."""
        try:
            self._send()
            while not self._is_over:
                self._follow()
            self._locked_run.note_closing()
            _log("The run is over there; fetching what is not here yet")
            self._with_link(self._fetch_all)
        finally:
            if self._link is not None:
                self._link.close()
        problem = Diagnostic(code="R415", params={"code": "?"})
        return self._mirror.end or RunEnded(reason="died", step=0, epoch=0, problem=problem)

    def _send(self) -> None:
        """Send program and run, and let it begin. Raises :class:`DiagnosticError`."""
        remote, folder = self._place.remote, self._locked_run.folder
        _log(f"Connecting to {remote.shown}")
        report = look_there(remote)
        gpus = ", ".join(report.gpus) or "no GPU"
        _log(f"Python {report.python}, torch {report.torch}, {gpus}, {report.free >> 30} GB free")
        self._base = report.folder
        self._program = send_program(remote, report)
        link = self._connect()
        for name in (f"runs/{folder.id}/run.json", *_begun_from(folder)):
            self._put(link, name)
        roots = _roots(folder, remote)
        link.ask(protocol.Begin(launch=self._locked_run.launch, roots=roots))
        _log(f"The run trains in {self._base}/{self._place.place}")

    def _put(self, link: Link, name: str) -> None:
        """Send a file of the project, piece by piece: it may be larger than the memory."""
        source = self._locked_run.folder.project / name
        try:
            with open_file(source) as stream:
                is_more, offset = True, 0
                while is_more:
                    piece = stream.read(protocol.PIECE)
                    link.ask(protocol.PutFile(path=name, content=piece, offset=offset))
                    offset += len(piece)
                    is_more = len(piece) == protocol.PIECE
        except OSError as error:
            raise DiagnosticError.of("P011", detail=str(error), file=name) from error

    def _connect(self) -> Link:
        self._link = Link(self._place, self._program, self._base, self._locked_run.folder.id)
        return self._link

    def _follow(self) -> None:
        self._with_link(self._look)
        if not self._is_over and not self._with_link(self._fetch_one):
            time.sleep(_LOOK_S)

    def _look(self, link: Link) -> bool:
        if self._interrupt.signal and not self._is_ending:
            self._is_ending = True
            link.ask(protocol.End())
        for command in self._locked_run.commands.poll():
            if isinstance(command, Diagnostic):
                self._locked_run.journal.append(Warned(time=time.time(), problem=command))
            else:
                self._tell(link, command)
        self._is_over = self._mirror.look(link.ask)
        self._looked_at = time.monotonic()
        return True

    def _tell(self, link: Link, command: RunCommand) -> None:
        try:
            link.ask(protocol.Tell(command=command))
        except LinkLostError:
            self._locked_run.commands.put_back(command)
            raise

    def _fetch_one(self, link: Link) -> bool:
        """Fetch a checkpoint, looking for what is new between its pieces."""

        def ask(request: protocol.Request) -> protocol.Answer:
            if time.monotonic() - self._looked_at > _LOOK_S and not self._is_over:
                self._look(link)
            return link.ask(request)

        return self._mirror.fetch_checkpoint(ask)

    def _fetch_all(self, link: Link) -> bool:
        while self._mirror.fetch_checkpoint(link.ask):
            continue
        return True

    def _with_link(self, work: Callable[[Link], bool]) -> bool:
        """Do something over the connection; where it is lost, connect again and do it anew."""
        wait_s = 0.0
        while True:
            try:
                return work(self._link or self._connect())
            except LinkLostError as error:
                self._link = None
                if not wait_s:
                    self._tell_lost(error)
                wait_s = min(max(_FIRST_WAIT_S, 2 * wait_s), _LONGEST_WAIT_S)
                self._rest(wait_s)
            except (ValueError, msgspec.MsgspecError) as error:
                raise unfit(self._place.remote, error) from error

    def _tell_lost(self, error: DiagnosticError) -> None:
        found = error.problems[0]
        problem = msgspec.structs.replace(found, code="R413", severity=Severity.WARNING)
        self._locked_run.journal.append(Warned(time=time.time(), problem=problem))
        _log(f"{error}; connecting again")

    def _rest(self, seconds: float) -> None:
        """Wait, unless the run is to be ended: it cannot be reached."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if self._interrupt.signal:
                raise DiagnosticError.of("R416", machine=self._place.remote.shown)
            time.sleep(_LOOK_S)


def main(arguments: list[str]) -> int:
    """Follow one run and return the exit code."""
    interrupt = Interrupt()

    def stop(number: int, _frame: FrameType | None) -> None:
        interrupt.stop(number)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    try:
        locked_run = LockedRun(launch_from_line(arguments[0].encode()))
    except DiagnosticError as error:
        sys.stderr.write(f"{error}\n")
        return _EXIT_NOT_TAKEN
    end = RunEnded(reason="died", step=0, epoch=0)
    try:
        with contextlib.suppress(OSError):  # without a log the record still tells everything
            locked_run.folder.log_path.unlink(missing_ok=True)  # that of the run comes whole
            redirect_output(locked_run.folder.log_path)
        place = read_remote(locked_run.folder.path)
        assert place is not None
        # the file may be another one by now
        known = KnownMachines().require(locked_run.folder, place)
        end = RemoteJob(locked_run, known, interrupt).run()
    except DiagnosticError as error:
        end = _failed(locked_run.folder.path, error.problems[0])
    finally:
        locked_run.end(end)
        locked_run.release()
    return 0 if end.reason in ("finished", "stopped") else _EXIT_FAILED


def _failed(folder: Path, problem: Diagnostic) -> RunEnded:
    """Return the end of a run that could not be sent, or is not followed any more."""
    reason = "died" if problem.code == "R416" else "failed"
    state = read_state(RunFolder.open(folder))
    return RunEnded(
        time=time.time(), reason=reason, step=state.step, epoch=state.epoch, problem=problem
    )


def _roots(folder: RunFolder, remote: Remote) -> dict[str, str]:
    """Return where the folders with data of a run are on a machine, by name: as the user said of
    it, or else as here, since a disk may be the same.
    """
    document = folder.document
    spec = with_relative_paths(document.spec, folder.project, document.graph.code)
    known = known_roots() | DataRoots().roots(remote.shown) | environment_roots()
    used = used_roots(spec, document.graph.code)
    return {name: known[name] for name in used if name in known}


def _begun_from(folder: RunFolder) -> tuple[str, ...]:
    """Return the files of the project that the weights of a run begin from.

    Raises :class:`DiagnosticError` (R019, G102, R419) for one outside the project: a run that came
    from elsewhere may name, or link to, any file of this machine.
    """
    spec = folder.document.spec
    problem = fields(spec)["weights"].check(spec.weights)
    if problem is not None:
        raise DiagnosticError(problem)
    files = files_of(active(folder.document.graph))
    files = (spec.weights, *files) if spec.weights else files
    for name in files:
        try:
            confined(folder.project, name)
        except DiagnosticError as error:
            target = os.path.realpath(folder.project / name)
            raise DiagnosticError.of("R419", file=name, target=target) from error
    copies = [str(path.relative_to(folder.project)) for path in copied_files(folder.path)]
    return (*files, *copies)


def _log(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    code = main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(code)
