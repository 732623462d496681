"""The command that makes a run for several machines."""

from argparse import Namespace
from pathlib import Path

import msgspec

from engine import runtime
from engine.files import atomic_write
from engine.project import Project
from engine.runs.cluster import (
    LOOPBACK,
    Cluster,
    environment,
    machine_command,
    parse_address,
    parse_nodes,
    rank_places,
    shares,
    slurm_script,
)
from engine.runs.rendezvous_key import KEY_NAME
from engine.spec.run import RunSpec
from studio.cli.output import write, write_document, write_table
from studio.cli.parser import UsageError
from studio.cli.trusting import trust_project

_MOST_NODES, _MOST_PROCESSES = 1024, 64


def machines(options: Namespace) -> int:
    """Make the run and say how it is started; it waits until the machines are there."""
    project = Project.open(options.project)
    cluster = _cluster(options, project.spec)
    trusted = trust_project(project, options)
    run = runtime.make_run_for(
        cluster, project.path, project.graph, project.spec, options.name, trusted=trusted
    )
    command = machine_command(cluster, run.path.absolute(), trusted=trusted)
    if options.slurm:
        script = slurm_script(cluster, run.path.absolute(), trusted=trusted)
        atomic_write(Path(options.slurm).absolute(), script.encode())
    if options.json:
        write_document(_document(cluster, run.id, command, project.spec.data.batch_size))
        return 0
    sizes = shares(cluster, project.spec.data.batch_size)
    rows = [
        (str(place.rank), str(place.node), str(place.local_rank), str(size))
        for place, size in zip(rank_places(cluster), sizes, strict=True)
    ]
    write_table([("rank", "machine", "local rank", "samples of a batch"), *rows])
    if options.slurm:
        write(f"{run.id} is ready: sbatch {options.slurm}")
        return 0
    write(f"{run.id} is ready. Start this on each of the {cluster.nodes} machines:")
    write(command)
    if cluster.host not in LOOPBACK:
        write(
            f"Let only these machines reach port {cluster.port} and the ports that their processes "
            "open to each other (firewall, private network or VPN). They know each other by "
            f"{KEY_NAME} in the run's folder, which only you can read."
        )
    return 0


def _cluster(options: Namespace, spec: RunSpec) -> Cluster:
    least, most = parse_nodes(options.nnodes)
    if not 1 <= most <= _MOST_NODES or not 1 <= options.nproc <= _MOST_PROCESSES:
        raise UsageError(
            f"--nnodes takes 1 to {_MOST_NODES} machines, --nproc 1 to {_MOST_PROCESSES} processes"
        )
    if not options.address and not options.slurm:
        raise UsageError("--address HOST:PORT of the first machine is needed, or --slurm FILE")
    cluster = Cluster(
        nnodes=most,
        least=least,
        nproc=options.nproc,
        max_restarts=spec.processes.max_restarts,
        sharded=spec.mode == "fsdp",
    )
    if not options.address:
        return cluster
    host, port = parse_address(options.address)
    return msgspec.structs.replace(cluster, host=host, port=port)


def _document(cluster: Cluster, run: str, command: str, batch_size: int) -> dict[str, object]:
    sizes = shares(cluster, batch_size)
    ranks = [
        msgspec.structs.asdict(place)
        | {"samples": size, "environment": environment(cluster, place)}
        for place, size in zip(rank_places(cluster), sizes, strict=True)
    ]
    return {"run": run, "world_size": cluster.size, "ranks": ranks, "command": command}
