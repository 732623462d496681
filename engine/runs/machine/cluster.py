"""Launch of a run on several machines: ranks, environment and commands as for ``torchrun``.

The agents of all machines meet at the address of the first one and give their processes ranks:
``rank = machine x processes of a machine + local rank``.
"""

import shlex
import sys
from pathlib import Path

import msgspec

from engine.diagnostics import DiagnosticError
from engine.runs.machine.remote import is_host, plain
from engine.runs.machine.rendezvous_key import KEY_NAME
from engine.runs.process.launch import LAUNCHER, SHARDED

_ROOT = Path(__file__).parents[3]
_WORKER = "engine.train.worker"
_ENDPOINT = "engine.runs.machine.endpoint"
LOOPBACK = ("127.0.0.1", "localhost")
"""Names of this machine that open no port to the network."""
SEALED = "sealed"
"""How the rendezvous is called in which the machines prove that they are of the run."""
_PORTS = range(1, 65536)


class Cluster(msgspec.Struct, frozen=True, kw_only=True):
    """Machines that train one run, each with ``nproc`` processes; ``host`` and ``port`` are where
    the first one is reached by the others. ``sharded``: each process keeps a part of the weights.
    With ``least`` (0: all) of ``nnodes`` machines it begins, and others may come and go: all start
    again from the last checkpoint then.
    """

    nnodes: int = 2
    least: int = 0
    nproc: int = 1
    host: str = "machine-0"
    port: int = 29500
    max_restarts: int = 3
    sharded: bool = False

    @property
    def size(self) -> int:
        """Number of all processes (the world size)."""
        return self.nnodes * self.nproc

    @property
    def nodes(self) -> str:
        """How many machines, as ``torchrun`` takes it: ``2``, or ``1:2`` for one or two."""
        is_range = 0 < self.least < self.nnodes
        return f"{self.least}:{self.nnodes}" if is_range else str(self.nnodes)


class RankAssignment(msgspec.Struct, frozen=True, kw_only=True):
    """Where a process runs: machine (from 0), number on that machine, number of all."""

    node: int
    local_rank: int
    rank: int


def rank_assignments(cluster: Cluster) -> tuple[RankAssignment, ...]:
    """Return the processes of all machines, by rank."""
    return tuple(
        RankAssignment(node=rank // cluster.nproc, local_rank=rank % cluster.nproc, rank=rank)
        for rank in range(cluster.size)
    )


def environment(cluster: Cluster, place: RankAssignment) -> dict[str, str]:
    """Return the variables by which a process finds its place and the others."""
    return {
        "RANK": str(place.rank),
        "LOCAL_RANK": str(place.local_rank),
        "WORLD_SIZE": str(cluster.size),
        "LOCAL_WORLD_SIZE": str(cluster.nproc),
        "GROUP_RANK": str(place.node),
        "MASTER_ADDR": cluster.host,
        "MASTER_PORT": str(cluster.port),
    }


def shares(cluster: Cluster, batch_size: int) -> tuple[int, ...]:
    """Return how many samples of a batch each process computes, by rank."""
    return tuple(
        batch_size // cluster.size + (rank < batch_size % cluster.size)
        for rank in range(cluster.size)
    )


def parse_address(text: str) -> tuple[str, int]:
    """Return host and port of ``host:port``; a number of IPv6 may stand in brackets.

    Raises :class:`DiagnosticError`: R190, and R422 for a host in letters that look like others.
    """
    host, _, port = text.strip().rpartition(":")
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    is_number = port.isascii() and port.isdecimal() and len(port) < 6
    if not is_host(bare) or not is_number or int(port) not in _PORTS:
        raise DiagnosticError.of("R190", address=plain(text))
    return host, int(port)


def parse_nodes(text: str) -> tuple[int, int]:
    """Return the fewest and the most machines of ``2`` or ``1:2``; zeros for what is neither."""
    words = text.strip().split(":")
    numbers = [int(word) if word.isascii() and word.isdecimal() else 0 for word in words[:2]]
    least, most = numbers[0], numbers[-1]
    is_range = len(words) <= 2 and 0 < least <= most
    return (least, most) if is_range else (0, 0)


def machine_arguments(cluster: Cluster, run: Path, *, trusted: bool = False) -> list[str]:
    """Return the argument list that is started on each machine, in the program's folder."""
    arguments = [
        *(sys.executable, "-m", LAUNCHER),
        *("--nnodes", cluster.nodes, "--nproc-per-node", str(cluster.nproc)),
        *("--max-restarts", str(cluster.max_restarts)),
        *("--rdzv-backend", SEALED, "--rdzv-endpoint", f"{cluster.host}:{cluster.port}"),
        *("--rdzv-id", run.name),
        *(("--local-addr", cluster.host) if cluster.host in LOOPBACK else ()),
        *("-m", _WORKER, str(run)),
    ]
    if cluster.sharded:
        arguments.append(SHARDED)
    return [*arguments, "--trusted"] if trusted else arguments


def machine_command(cluster: Cluster, run: Path, *, trusted: bool = False) -> str:
    """Return the shell command of each machine: the same one, which finds out what ``torchrun`` has
    to be told of the machine (:mod:`engine.runs.machine.endpoint`).
    """
    words = shlex.join(machine_arguments(cluster, run, trusted=trusted))
    if cluster.host not in LOOPBACK:
        words = _with_own(words, f"{cluster.host}:{cluster.port}")
    return f"cd {shlex.quote(str(_ROOT))} && {words}"


def slurm_script(cluster: Cluster, run: Path, *, trusted: bool = False) -> str:
    """Return a batch script for Slurm: it takes the machines and starts the command on each. They
    meet at the first one; the port is made of the job's number, so that two jobs on a machine do
    not meet.
    """
    inside = msgspec.structs.replace(cluster, host="HOST", port=1)
    words = shlex.join(machine_arguments(inside, run, trusted=trusted))
    words = _with_own(words, "HOST:1").replace("HOST:1", '"$1"')
    return f"""#!/bin/bash
#SBATCH --job-name={run.name}
#SBATCH --nodes={cluster.nodes.replace(":", "-")}
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task={cluster.nproc}
#SBATCH --output={run.name}-%j.txt
# With GPUs, one for each process:
# #SBATCH --gpus-per-node={cluster.nproc}
# Many clusters want to be told these too:
# #SBATCH --time=1-00:00:00
# #SBATCH --partition=NAME
# #SBATCH --account=NAME

# The machines meet at the first one. Program and project are at the same place on all of them, and
# so is the key by which they know each other: {KEY_NAME} in the run's folder, for you alone.
# Where others reach the machines of a job, they can disturb it: ask for a network of its own.
head=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
port=$((20000 + SLURM_JOB_ID % 10000))
cd {shlex.quote(str(_ROOT))} || exit 1
# shellcheck disable=SC2016  # each machine finds out its own address
srun --cpus-per-task={cluster.nproc} bash -c {shlex.quote(f"exec {words}")} torchrun "$head:$port"
"""


def _with_own(words: str, endpoint: str) -> str:
    """Return a command that asks the machine it is started on what ``torchrun`` has to be told."""
    asked = shlex.join([sys.executable, "-m", _ENDPOINT, endpoint])
    return words.replace(f" -m {_WORKER} ", f" $({asked}) -m {_WORKER} ", 1)
