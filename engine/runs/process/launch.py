"""Launch request of a worker: its command line, or a line to a worker that waits."""

import secrets
import sys
from pathlib import Path

import msgspec

from engine.decoding import decode_json

RENDEZVOUS = ".rendezvous-"
"""How the files begin at which the processes of a run meet, in its folder."""

SHARDED = "--sharded"
LAUNCHER = "engine.train.ranks.launcher"
"""The program that starts the processes of a run where it has several."""

_MODULE = "engine.train.worker"


class Trace(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of a run to write down bit by bit (:mod:`engine.runs.record.trace`): to ``file``, a
    checkpoint being written after the step ``middle``, and the end coming after the step ``last``.
    """

    file: str
    middle: int
    last: int


class Launch(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A run to train. ``resume`` is a checkpoint file name, ``latest``, or empty for a fresh run;
    ``length`` (0: as in the run) sets another one in the unit that the run ends by (epochs, steps
    or minutes), ``learning_rate`` (0: as in the run) another rate before the first step.
    ``commands_from`` is where the commands to this worker begin in the file of commands (bytes), so
    that a stop counts that comes before the worker does; without it a fresh run takes all of them,
    and a resume those after the worker took the run. ``trusted`` says that the user trusts the own
    code of the run: without it none of that code runs. ``nproc`` processes train it together; where
    one of them is lost, all are started again at most ``max_restarts`` times. ``sharded``: each of
    them keeps a part of the weights. ``trace`` is for a copy of a run that is compared with
    another.
    """

    folder: str
    resume: str = ""
    length: float = 0.0
    learning_rate: float = 0.0
    commands_from: int | None = None
    trusted: bool = False
    nproc: int = 1
    max_restarts: int = 0
    sharded: bool = False
    trace: Trace | None = None

    def to_line(self) -> bytes:
        """Return the launch as the line that a waiting worker reads."""
        return msgspec.json.encode(self) + b"\n"


def launch_from_line(line: bytes) -> Launch:
    """Return the launch of a line. Raises ``msgspec.MsgspecError`` on anything else."""
    return decode_json(line, Launch)


def trace_from_text(text: str) -> Trace:
    """Return what an argument says. Raises ``ValueError`` on anything else."""
    return decode_json(text, Trace)


def worker_arguments(launch: Launch, *, nice: bool = True) -> list[str]:
    """Return the argument list of a worker process for a launch."""
    arguments = [sys.executable, "-m"]
    if launch.nproc > 1:
        arguments += [*_torchrun(launch), "-m"]
    arguments += [_MODULE, str(Path(launch.folder).absolute())]
    if launch.resume:
        arguments += ["--resume", launch.resume]
    if launch.length:
        arguments += ["--length", repr(launch.length)]
    if launch.learning_rate:
        arguments += ["--learning-rate", repr(launch.learning_rate)]
    if launch.commands_from is not None:
        arguments += ["--commands-from", str(launch.commands_from)]
    if launch.trusted:
        arguments.append("--trusted")
    if launch.sharded:
        arguments.append(SHARDED)
    if launch.trace is not None:
        arguments += ["--trace", msgspec.json.encode(launch.trace).decode()]
    return arguments if nice else [*arguments, "--no-nice"]


def _torchrun(launch: Launch) -> list[str]:
    """Return the launcher for processes on this machine alone: they meet at a file, so that no port
    is opened to the network.
    """
    name = secrets.token_hex(4)
    return [
        LAUNCHER,
        *("--nnodes", "1", "--nproc-per-node", str(launch.nproc)),
        *("--max-restarts", str(launch.max_restarts)),
        *("--rdzv-backend", "c10d", "--rdzv-conf", "store_type=file", "--rdzv-id", name),
        *("--rdzv-endpoint", str(Path(launch.folder).absolute() / f"{RENDEZVOUS}{name}")),
        *("--local-addr", "127.0.0.1"),
    ]


def standby_arguments(*, nice: bool = True) -> list[str]:
    """Return the argument list of a worker that warms up and waits for a launch on its stdin."""
    arguments = [sys.executable, "-m", _MODULE, "--standby"]
    return arguments if nice else [*arguments, "--no-nice"]
