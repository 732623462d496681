"""The command that makes a run for several machines."""

from argparse import Namespace
from pathlib import Path

import msgspec

from engine import runtime
from engine.files import atomic_write
from engine.project import Project
from engine.query.model.request import Check
from engine.runs.folder import RunFolder
from engine.runs.machine.cluster import (
    LOOPBACK,
    Cluster,
    environment,
    machine_command,
    parse_address,
    parse_nodes,
    rank_assignments,
    shares,
    slurm_script,
)
from engine.runs.machine.rendezvous_key import KEY_NAME
from engine.runs.machine.tunnel import (
    SERVER_SETTING,
    MachineSetup,
    Tunnels,
    parse_tunnels,
    plan_tunnels,
    through,
    tunnel_setup,
)
from engine.spec.run import DataSpec, RunSpec
from studio.cli.asking import ask
from studio.cli.output import write, write_document, write_table
from studio.cli.parser import UsageError
from studio.cli.trusting import trust_project
from studio.cli.wording import said

_MOST_NODES, _MOST_PROCESSES = 1024, 64
_HEAD = ("rank", "machine", "local rank", "samples per batch")
_PORTS = range(1, 65536)


def machines(options: Namespace) -> int:
    """Make the run and say how it is started; it waits until the machines are there."""
    project = Project.open(options.project)
    cluster = _cluster(options, project.spec)
    tunnels = _tunnels(options)
    if tunnels is not None:
        cluster = through(cluster, tunnels)
    trusted = trust_project(project, options)
    run = _made(project, cluster, options.name, trusted=trusted)
    command = machine_command(cluster, run.path.absolute(), trusted=trusted)
    if options.slurm:
        script = slurm_script(cluster, run.path.absolute(), trusted=trusted)
        atomic_write(Path(options.slurm).absolute(), script.encode())
    if options.json:
        document = _document(cluster, run.id, command, project.spec.data)
        write_document(document | _told(tunnels))
        return 0
    _write_ranks(cluster, project.spec.data)
    if options.slurm:
        write(said("{run} is ready: sbatch {slurm}", run=run.id, slurm=options.slurm))
        return 0
    _write_commands(cluster, run.id, command, tunnels)
    return 0


def _write_ranks(cluster: Cluster, data: DataSpec) -> None:
    """Write a table: where each rank is, and its share of a batch."""
    rows = [
        (
            *(str(place.rank), str(place.node), str(place.local_rank)),
            said("an even share") if size is None else str(size),
        )
        for place, size in zip(rank_assignments(cluster), _shares(cluster, data), strict=True)
    ]
    write_table([tuple(map(said, _HEAD)), *rows])


def _write_commands(cluster: Cluster, run: str, command: str, tunnels: Tunnels | None) -> None:
    """Write what is to be done on each machine."""
    if tunnels is not None:
        _write_setup(tunnels)
    write(
        said(
            "{run} is ready. Run this command on each of the {nodes} machines:",
            run=run,
            nodes=cluster.nodes,
        )
    )
    write(command)
    if tunnels is not None:
        write(
            said(
                "The machines connect at {host}:{port} inside the tunnels, and open all other "
                "ports there too. All traffic in the tunnels is encrypted by SSH.",
                host=cluster.host,
                port=cluster.port,
            )
        )
    elif cluster.host not in LOOPBACK:
        write(
            said(
                "Allow only these machines to reach port {port} and the ports that their processes "
                "open to each other (firewall, private network, VPN, or --ssh-tunnel). They "
                "authenticate each other with {key} in the run folder, which only you can read.",
                port=cluster.port,
                key=KEY_NAME,
            )
        )


def _made(project: Project, cluster: Cluster, name: str | None, *, trusted: bool) -> RunFolder:
    spec = runtime.cluster_spec(cluster, project.spec)
    return runtime.make_run_for(
        cluster,
        project.path,
        project.graph,
        project.spec,
        name,
        problems=ask(Check(graph=project.graph, spec=spec)).problems,
        trusted=trusted,
    )


def _tunnels(options: Namespace) -> Tunnels | None:
    """Return the links to the other machines, where they are wanted."""
    others = parse_tunnels(options.ssh_tunnel)
    return plan_tunnels(others) if others else None


def _told(tunnels: Tunnels | None) -> dict[str, object]:
    setup = tunnel_setup(tunnels) if tunnels is not None else ()
    return {"tunnels": [msgspec.structs.asdict(each) for each in setup]} if setup else {}


def _write_setup(tunnels: Tunnels) -> None:
    """Write what is done on each machine before the run, as lines for a shell."""
    setup = tunnel_setup(tunnels)
    for each in setup:
        write(said("# {machine}, as root, once after each restart:", machine=_place(each)))
        if each.machine:
            write(
                said(
                    "# (its /etc/ssh/sshd_config must contain: {setting})",
                    setting=SERVER_SETTING,
                )
            )
        for command in each.as_root:
            write(command)
    for link, other in zip(setup[0].links, setup[1:], strict=True):
        write(
            said(
                "# {machine}, as {user}: the tunnel to {host}, keep it open",
                machine=_place(setup[0]),
                user=setup[0].user,
                host=other.host,
            )
        )
        write(link)


def _place(setup: MachineSetup) -> str:
    return f"machine {setup.machine} ({setup.host or 'this one'})"


def _cluster(options: Namespace, spec: RunSpec) -> Cluster:
    named = len(options.ssh_tunnel)
    least, most = parse_nodes(options.nnodes or str(named + 1 if named else 2))
    if not 1 <= most <= _MOST_NODES or not 1 <= options.nproc <= _MOST_PROCESSES:
        raise UsageError(
            said(
                "--nnodes must be 1 to {most_nodes}, --nproc 1 to {most_processes}",
                most_nodes=_MOST_NODES,
                most_processes=_MOST_PROCESSES,
            )
        )
    if named and (options.address or options.slurm):
        raise UsageError(
            said(
                "--ssh-tunnel cannot be combined with --address or --slurm; use --port for the port"
            )
        )
    if options.port and (not named or options.port not in _PORTS):
        raise UsageError(
            said("--port must be 1 to 65535 and requires --ssh-tunnel; otherwise use --address")
        )
    if not options.address and not options.slurm and not named:
        raise UsageError(
            said(
                "--address HOST:PORT of the first machine, --slurm FILE or --ssh-tunnel is required"
            )
        )
    cluster = Cluster(
        nnodes=most,
        least=least,
        nproc=options.nproc,
        max_restarts=spec.processes.max_restarts,
        sharded=spec.mode == "fsdp",
    )
    if options.port:
        return msgspec.structs.replace(cluster, port=options.port)
    if not options.address:
        return cluster
    host, port = parse_address(options.address)
    return msgspec.structs.replace(cluster, host=host, port=port)


def _shares(cluster: Cluster, data: DataSpec) -> tuple[int | None, ...]:
    """Return how many samples of a batch each process computes, by rank; None where the project's
    code makes batches of any size.
    """
    return (None,) * cluster.size if data.has_custom_batches else shares(cluster, data.batch_size)


def _document(cluster: Cluster, run: str, command: str, data: DataSpec) -> dict[str, object]:
    sizes = _shares(cluster, data)
    ranks = [
        msgspec.structs.asdict(place)
        | {"samples": size, "environment": environment(cluster, place)}
        for place, size in zip(rank_assignments(cluster), sizes, strict=True)
    ]
    return {"run": run, "world_size": cluster.size, "ranks": ranks, "command": command}
