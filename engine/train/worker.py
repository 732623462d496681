"""Worker process that trains a run: ``python -m engine.train.worker RUN_FOLDER``.

Options: ``--resume latest|FILE`` goes on from a checkpoint, ``--length N`` sets another total,
``--commands-from N`` says where the commands to it begin, ``--trusted`` lets the custom code of the
project run, ``--sharded`` shards the weights over the processes, ``--trace JSON`` writes down what
some steps compute (:class:`engine.runs.process.launch.Trace`), ``--no-nice`` keeps the priority,
``--standby`` (instead of a folder) warms up, writes ``ready`` and waits for a launch as a line of
JSON on standard input (:class:`engine.runs.process.launch.Launch`); the end of the input ends it.
Of several processes that ``torchrun`` started, the one of rank 0 is the worker and the others
follow it (:mod:`engine.train.follower`).

Exit codes: 0 finished or stopped by a command, 1 failed (the reason is in the last event), 2 wrong
use, 3 the run could not be taken (another worker is at it, or it is not a run), 130 and 143 stopped
by SIGINT and SIGTERM after a checkpoint. What the process prints goes to ``log.txt`` of the run.
"""

import argparse
import contextlib
import faulthandler
import os
import signal
import sys
import threading
import traceback
from pathlib import Path
from types import FrameType

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.events import RunEnded
from engine.files import UNDECODABLE
from engine.runs.folder import RunFolder
from engine.runs.locked_run import Interrupt, LockedRun
from engine.runs.process.agent import agent, can_restart, watch_agent
from engine.runs.process.launch import SHARDED, Launch, launch_from_line, trace_from_text
from engine.runs.process.run_lock import is_over
from engine.runs.record.log import redirect_output

_EXIT_FAILED = 1
_EXIT_USAGE = 2
_EXIT_NOT_TAKEN = 3
_EXIT_SIGNAL = 128
_NICENESS = 10
_SESSION_NICENESS = 5  # a third of a share: with 10 a run all but stands beside a busy program
_AUTOGROUP = Path("/proc/self/autogroup")
_SWITCH_S = 0.0005  # with the usual 5 ms a window in the same process stutters


def main(arguments: list[str]) -> int:
    """Train one run and return the exit code."""
    options = _parser().parse_args(arguments)
    if not options.no_nice:
        _lower_priority()
    if options.standby:
        launch = _wait_for_launch()
        if launch is None:
            return 0
    elif options.folder:
        launch = Launch(
            folder=options.folder,
            resume=options.resume,
            length=options.length,
            learning_rate=options.learning_rate,
            commands_from=options.commands_from,
            trusted=options.trusted,
            sharded=options.sharded,
            trace=options.trace,
        )
    else:
        sys.stderr.write("engine.train.worker: a run folder or --standby is needed\n")
        return _EXIT_USAGE
    if is_over(Path(launch.folder)):
        return 0
    return _work(launch) if os.environ.get("RANK", "0") == "0" else _follow(launch)


class ThreadRun:
    """A run on a thread of this process. Signals and output are not touched.

    Raises :class:`DiagnosticError` when the run cannot be taken (see
    :class:`engine.runs.locked_run.LockedRun`).
    """

    def __init__(self, launch: Launch) -> None:
        self._locked_run = LockedRun(launch)
        self._interrupt = Interrupt()
        self._thread = threading.Thread(target=self._run, name="training", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ask for a checkpoint and the end, at the next step boundary."""
        self._interrupt.stop()

    def join(self, timeout_s: float | None = None) -> bool:
        """Wait for the end; return whether it has come."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        before = sys.getswitchinterval()
        sys.setswitchinterval(_SWITCH_S)
        try:
            _session(self._locked_run, self._interrupt)
        finally:
            sys.setswitchinterval(before)
            self._locked_run.release()


def run_in_thread(launch: Launch) -> ThreadRun:
    """Start a run on a thread of this process: the same runner, the same events."""
    return ThreadRun(launch)


def warm_up() -> None:
    """Import everything a run needs and pay for PyTorch's first optimizer (seconds)."""
    import torch

    import engine.train.session  # noqa: F401  # pyright: ignore[reportUnusedImport]
    from engine.model.analysis import warm_up as warm_up_analysis
    from engine.train.metrics import import_metrics

    warm_up_analysis()
    weight = torch.zeros(1, requires_grad=True)
    weight.sum().backward()
    torch.optim.Adam([weight]).step()
    import_metrics()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="engine.train.worker")
    parser.add_argument("folder", nargs="?", default="")
    parser.add_argument("--resume", default="")
    parser.add_argument("--length", type=float, default=0.0)
    parser.add_argument("--learning-rate", type=float, default=0.0)
    parser.add_argument("--commands-from", type=int)
    parser.add_argument("--trusted", action="store_true")
    parser.add_argument(SHARDED, action="store_true")
    parser.add_argument("--trace", type=trace_from_text)
    parser.add_argument("--no-nice", action="store_true")
    parser.add_argument("--standby", action="store_true")
    return parser


def _wait_for_launch() -> Launch | None:
    warm_up()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    line = sys.stdin.buffer.readline()
    if not line.strip():
        return None
    return launch_from_line(line)


def _lower_priority() -> None:
    """Take less of a core than the window where both want it.

    Linux may weigh whole sessions against each other (``sched_autogroup``), and niceness only
    within one: a worker with a session of its own lowers that too.
    """
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    if sys.platform == "linux" and os.getsid(0) == os.getpid():
        with contextlib.suppress(OSError), _AUTOGROUP.open("w") as setting:
            setting.write(str(_SESSION_NICENESS))  # a kernel without the setting has no such file


def _work(launch: Launch) -> int:
    """Train with signals that stop the run, and everything printed going to its log."""
    interrupt = Interrupt()

    def stop(number: int, _frame: FrameType | None) -> None:
        interrupt.stop(number)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    if (starter := agent()) is not None:
        watch_agent(starter, interrupt.lose_agent)
    try:
        locked_run = LockedRun(launch)
    except DiagnosticError as error:
        sys.stderr.write(f"{error}\n")
        return _EXIT_NOT_TAKEN
    reason = "failed"
    try:
        with contextlib.suppress(OSError):  # without a log the record still tells everything
            redirect_output(locked_run.folder.log_path)
        faulthandler.enable()
        reason = _session(locked_run, interrupt)
    finally:
        locked_run.release(is_over=reason != "again")
    if reason == "again":
        return _EXIT_FAILED
    if reason == "failed":
        return 0 if can_restart() else _EXIT_FAILED  # an end that was told is not begun again
    return _EXIT_SIGNAL + interrupt.signal if interrupt.signal else 0


def _follow(launch: Launch) -> int:
    """Compute with the first process of a run, which tells whatever there is to tell."""
    from engine.train.follower import follow

    with contextlib.suppress(OSError):
        redirect_output(RunFolder.open(Path(launch.folder)).log_path)
    faulthandler.enable()
    if (starter := agent()) is not None:
        watch_agent(starter, lambda: None)  # the first process ends the run
    try:
        return 0 if follow(launch) else _EXIT_FAILED
    except Exception:  # noqa: BLE001 - joining may raise anything: logged, and the run ends
        traceback.print_exc()
        return _EXIT_FAILED


def _session(locked_run: LockedRun, interrupt: Interrupt) -> str:
    """Train a locked run; return how it ended. A broken torch is told like any end."""
    try:
        from engine.train.session import train
    except (ImportError, OSError) as error:
        problem = Diagnostic(code="R139", detail=str(error))
        locked_run.end(RunEnded(reason="failed", step=0, epoch=0, problem=problem))
        return "failed"
    return train(locked_run, interrupt).reason


if __name__ == "__main__":
    try:
        code = main(sys.argv[1:])
    except UNDECODABLE as error:
        sys.stderr.write(f"engine.train.worker: not a launch: {error}\n")
        code = _EXIT_USAGE
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # the run is closed; taking torch down would take a second more
