"""Starting runs, finding those that go on, and talking to them."""

import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import psutil
from msgspec.structs import replace

from engine.custom.trust import set_trust
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.events import RunCommand, Stop
from engine.graph.code import code_loss, runs_code
from engine.graph.model import Graph
from engine.query.ask import ask
from engine.query.model.request import Check
from engine.runs.folder import RunFolder, find_run, require_record_room, runs_of
from engine.runs.follow import read_state
from engine.runs.machine.cluster import Cluster
from engine.runs.machine.endpoint import require_free
from engine.runs.machine.known_machine import KnownMachines
from engine.runs.machine.remote import Remote, read_remote, send_away
from engine.runs.machine.rendezvous_key import make_key
from engine.runs.moved_data import follow_data
from engine.runs.process.gpus import gpu_environment
from engine.runs.process.launch import Launch, worker_arguments
from engine.runs.process.run_lock import agent_or_worker, is_alive, read_tag
from engine.runs.process.spawn_marker import write_spawn_marker
from engine.runs.record.state import RunStatus
from engine.runs.teacher import create_run
from engine.runtime.job.child import Child, start_worker, stop
from engine.runtime.job.job import module_command
from engine.runtime.standby import Standby
from engine.spec.custom_code import uses_code
from engine.spec.live import LiveChange
from engine.spec.mode_rule import check_mode
from engine.spec.run import TOGETHER, RunSpec
from engine.spec.series import is_custom_metric

if TYPE_CHECKING:
    from engine.train.worker import ThreadRun

_POLL_S = 0.05
_REMOTE_WORKER = "engine.runtime.remote.worker"
# What a check finds of the devices and tools here: another machine has its own.
_OF_THE_MACHINE = ("R111", "R181", "R185", "R205", "R206", "R207", "R208", "R211")
ExitReason = Literal["finished", "stopped", "failed", "died"]


class RunHandle:
    """A run that was started here or found. ``folder`` is all of it that counts: letting go of the
    handle changes nothing for the run.
    """

    def __init__(
        self,
        folder: RunFolder,
        process: Child | None = None,
        thread: "ThreadRun | None" = None,
    ) -> None:
        self.folder = folder
        self._process = process
        self._thread = thread

    def send(self, command: RunCommand) -> None:
        """Ask the run for something; it is done after the step that is running."""
        self.folder.send(command)

    def is_alive(self) -> bool:
        """Return whether somebody trains this run."""
        if self._process is not None:
            return self._process.poll() is None or self.folder.is_alive()
        if self._thread is not None:
            return not self._thread.join(0)
        return self.folder.is_alive()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until nobody trains it any more; False when the time was over before."""
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while self.is_alive():
            if deadline is not None and time.monotonic() >= deadline:
                return False
            time.sleep(_POLL_S)
        return True

    def stop(self) -> None:
        """Stop keeping everything, and wait for it: the command first, terminate after 10 s, kill
        after 15 s, or four steps where those take longer (a thread cannot be killed: it is waited
        for, as is what fetches the files of a run that is over on another machine).
        """
        if not self.is_alive():
            return
        self.send(Stop())
        stop(self._worker, self.wait, self._is_closing, read_state(self.folder).step_s)

    def _is_closing(self) -> bool:
        """Return whether what is on another machine is fetched; that ends where it is gone."""
        tag = read_tag(self.folder.path)
        return tag is not None and tag.is_closing

    def _worker(self) -> "Child | psutil.Process | None":
        """Return the process that trains, if it is not this one."""
        if self._process is not None:
            return self._process
        tag = read_tag(self.folder.path)
        if self._thread is not None or tag is None or not is_alive(tag):
            return None
        return psutil.Process(agent_or_worker(tag))

    @property
    def exit_reason(self) -> ExitReason | None:
        """Why it ended, from what it told (silence is "died"); None while it goes on."""
        if self.is_alive():
            return None
        match read_state(self.folder).status:
            case RunStatus.FINISHED:
                return "finished"
            case RunStatus.STOPPED:
                return "stopped"
            case RunStatus.FAILED:
                return "failed"
            case _:
                return "died"


def start_run(
    project: Path,
    graph: Graph,
    spec: RunSpec,
    name: str | None = None,
    *,
    problems: Sequence[Diagnostic] | None = None,
    standby: Standby | None = None,
    trusted: bool = False,
    remote: Remote | None = None,
    changes: tuple[LiveChange, ...] = (),
) -> RunHandle:
    """Make a run folder and train it, as ``spec.mode`` says: in a process of its own (from the
    spare where there is one) or in a thread of this process; with ``remote`` on that machine.

    ``problems`` is what :class:`~engine.query.model.request.Check` found; without it the check is
    made here, which imports torch. ``trusted`` lets the custom code of the graph run. The user has
    named ``remote``, which is known from now on. ``changes`` are those of a run that is repeated.

    Raises :class:`DiagnosticError` with the errors, U029 for own code in a thread, or when nothing
    can be written or started.
    """
    if remote is not None:
        set_trust(graph.code, trusted=trusted)
        spec = replace(spec, mode="process") if spec.mode == "thread" else spec
        found = ask(Check(graph=graph, spec=spec)).problems if problems is None else problems
        problems = [problem for problem in found if problem.code not in _OF_THE_MACHINE]
    folder = make_run(
        project, graph, spec, name, problems=problems, trusted=trusted, changes=changes
    )
    if remote is not None:
        KnownMachines().note(folder, send_away(folder, remote))  # named by the user, just now
    return begin_run(folder, standby=standby, trusted=trusted)


def make_run(
    project: Path,
    graph: Graph,
    spec: RunSpec,
    name: str | None = None,
    *,
    problems: Sequence[Diagnostic] | None = None,
    trusted: bool = False,
    changes: tuple[LiveChange, ...] = (),
) -> RunFolder:
    """Make the folder of a run that :func:`begin_run` trains. Raises as :func:`start_run` does."""
    _require_sound(graph, spec, problems, trusted=trusted)
    if spec.mode in TOGETHER and spec.processes.nnodes > 1:
        raise DiagnosticError.of("R191", field="processes.nnodes", count=spec.processes.nnodes)
    if spec.mode == "thread" and _runs_code(graph, spec):
        raise DiagnosticError.of("U029", field="mode")
    return create_run(project, graph, spec, name, changes)


def begin_run(
    folder: RunFolder, *, standby: Standby | None = None, trusted: bool = False
) -> RunHandle:
    """Train a run that was made and that nobody has trained yet. Raises ``DiagnosticError``."""
    spec = folder.document.spec
    launch = Launch(
        folder=str(folder.path.absolute()),
        trusted=trusted,
        nproc=_processes(spec),
        max_restarts=spec.processes.max_restarts,
        sharded=spec.mode == "fsdp",
    )
    return _train(folder, launch, spec.mode, standby)


def make_run_for(
    cluster: Cluster,
    project: Path,
    graph: Graph,
    spec: RunSpec,
    name: str | None = None,
    *,
    problems: Sequence[Diagnostic] | None = None,
    trusted: bool = False,
) -> RunFolder:
    """Make a run that is started on several machines by hand (see
    :mod:`engine.runs.machine.cluster`); it waits for them. Raises :class:`DiagnosticError` as
    :func:`start_run` does, and R192 when the port is taken on this machine, where that is the first
    one. The run has the key by which its machines know each other.
    """
    require_free(cluster.host, cluster.port)
    spec = cluster_spec(cluster, spec)
    _require_sound(graph, spec, problems, trusted=trusted)
    made = create_run(project, graph, spec, name)
    try:
        make_key(made.path)
    except BaseException:
        shutil.rmtree(made.path, ignore_errors=True)  # nobody could start it
        raise
    return made


def cluster_spec(cluster: Cluster, spec: RunSpec) -> RunSpec:
    """Return the specification of a run on several machines."""
    processes = replace(spec.processes, nnodes=cluster.nnodes, max_restarts=cluster.max_restarts)
    mode = "fsdp" if cluster.sharded else "ddp"
    return replace(spec, mode=mode, nproc=cluster.nproc, processes=processes)


def resume_run(
    project: Path,
    run: str,
    *,
    checkpoint: str = "latest",
    length: float = 0.0,
    learning_rate: float = 0.0,
    mode: str | None = None,
    nproc: int = 0,
    standby: Standby | None = None,
    trusted: bool = False,
    project_spec: RunSpec | None = None,
) -> RunHandle:
    """Go on with a run (an id, a name or ``latest``) from its newest sound checkpoint, or from the
    file ``checkpoint``; ``length`` (0: as in the run) sets another one in the unit that the run
    ends by (epochs, steps, minutes), ``learning_rate`` (0: as in the run) another rate before the
    first step. ``mode`` and ``nproc`` (0: as in the run) may be other than before: a run of two
    processes goes on in one. ``trusted`` lets the own code of
    the run run. Where its data is not there any more, the one of ``project_spec`` is read in its
    place (:func:`~engine.runs.moved_data.follow_data`).

    Raises :class:`DiagnosticError`: R161, R162 when there is no such run, R155 when it goes on,
    R219, R481 or R505 for what the ``mode`` does not allow,
    R418 or R421 when it trains on a machine where the user does not know it to
    (:class:`~engine.runs.machine.known_machine.KnownMachines`), P002, P003 when nothing can be
    written there.
    """
    folder = find_run(project, run)
    if folder.is_alive():
        raise DiagnosticError.of("R155", run=folder.id)
    if mode:
        _require_mode(folder.document.spec, mode)
    require_record_room(folder.path)
    if project_spec is not None and read_remote(folder.path) is None:
        folder = follow_data(folder, project_spec)
    launch = Launch(
        folder=str(folder.path.absolute()),
        resume=checkpoint,
        length=length,
        learning_rate=learning_rate,
        commands_from=folder.commands_size(),
        trusted=trusted,
        nproc=_processes(folder.document.spec, mode or "", nproc),
        max_restarts=folder.document.spec.processes.max_restarts,
        sharded=(mode or folder.document.spec.mode) == "fsdp",
    )
    return _train(folder, launch, mode or folder.document.spec.mode, standby)


def mode_problems(folder: RunFolder, mode: str, nproc: int) -> tuple[Diagnostic, ...]:
    """Return what there is to tell of a run that goes on in another mode (empty: its own) or number
    of processes (0: its own), and was not before. Its own code, if any, is trusted.
    """
    document = folder.document
    spec = document.spec
    changed = replace(spec, mode=mode or spec.mode, nproc=nproc or spec.nproc)
    if changed == spec:
        return ()
    before = ask(Check(graph=document.graph, spec=spec)).problems
    found = ask(Check(graph=document.graph, spec=changed)).problems
    return tuple(problem for problem in found if problem not in before)


def _require_mode(spec: RunSpec, mode: str) -> None:
    """Raise :class:`DiagnosticError` with what a run cannot do in another mode than its own."""
    if problems := [*check_mode(replace(spec, mode=mode))]:
        raise DiagnosticError(*problems)


def attach_run(folder: Path) -> RunHandle:
    """Return a handle for a run that somebody else started. Raises :class:`DiagnosticError`."""
    return RunHandle(RunFolder.open(folder))


def live_runs(project: Path) -> list[RunHandle]:
    """Return the runs of a project that go on, oldest first."""
    return [RunHandle(folder) for folder in runs_of(project) if folder.is_alive()]


def _require_sound(
    graph: Graph, spec: RunSpec, problems: Sequence[Diagnostic] | None, *, trusted: bool
) -> None:
    """Raise :class:`DiagnosticError` with the errors that keep a run from beginning."""
    set_trust(graph.code, trusted=trusted)
    found = ask(Check(graph=graph, spec=spec)).problems if problems is None else problems
    errors = [problem for problem in found if problem.severity == "error"]
    if errors:
        raise DiagnosticError(*errors)


def _train(folder: RunFolder, launch: Launch, mode: str, standby: Standby | None) -> RunHandle:
    away = read_remote(folder.path)
    if away is not None:
        KnownMachines().require(folder, away)
        line = launch.to_line().decode().strip()
        return _started(folder, start_worker(module_command(_REMOTE_WORKER, line)))
    if mode == "thread":
        if _runs_code(folder.document.graph, folder.document.spec):
            raise DiagnosticError.of("U029", field="mode")
        from engine.train.worker import run_in_thread

        return RunHandle(folder, thread=run_in_thread(launch))
    environment = gpu_environment(folder.document.spec.compute.gpus)
    can_wait = launch.nproc == 1 and environment is None  # the spare may have counted GPUs already
    process = standby.give(launch) if standby is not None and can_wait else None
    if process is None:
        process = start_worker(worker_arguments(launch), environment)
    return _started(folder, process)


def _started(folder: RunFolder, process: Child) -> RunHandle:
    write_spawn_marker(folder.path, process.pid)
    return RunHandle(folder, process=process)


def _processes(spec: RunSpec, mode: str = "", nproc: int = 0) -> int:
    """Return how many processes train a run; ``mode`` and ``nproc`` may be other than its own."""
    return (nproc or spec.nproc) if (mode or spec.mode) in TOGETHER else 1


def _runs_code(graph: Graph, spec: RunSpec) -> bool:
    """Return whether a run runs what a user wrote: in the model, a loss, a metric or its data."""
    has_metric = any(map(is_custom_metric, spec.metrics))
    has_loss = any(code_loss(graph.code, term.loss.type) for term in spec.losses)
    return has_loss or has_metric or runs_code(graph) or uses_code(spec.data)
