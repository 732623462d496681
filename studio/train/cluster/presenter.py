"""Form and view of a run on several machines: ranks, environment, and what is started on each."""

from dataclasses import dataclass
from pathlib import Path

from engine.runs.machine.cluster import (
    LOOPBACK,
    Cluster,
    environment,
    machine_command,
    parse_address,
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
from studio.i18n import translate

_NO_RUN = "RUN"


@dataclass(frozen=True, kw_only=True)
class ClusterForm:
    """Contents of the dialog's fields: ``address`` is where the machines meet, as ``host:port``;
    ``others`` the other machines, where all are connected through SSH (``is_tunnelled``).
    """

    nnodes: int
    least: int
    nproc: int
    address: str
    others: tuple[str, ...] = ()
    is_tunnelled: bool = False

    def tunnels(self) -> Tunnels | None:
        """Return the links to the other machines, if there are to be some. Raises
        :class:`DiagnosticError` for machines that cannot be read.
        """
        return plan_tunnels(parse_tunnels(self.others)) if self.is_tunnelled else None

    def cluster(self, spec: RunSpec) -> Cluster:
        """Return the machines for a run. Raises :class:`DiagnosticError` for an address that is
        none.
        """
        tunnels = self.tunnels()
        host, port = parse_address(self.address)
        cluster = Cluster(
            nnodes=self.nnodes,
            least=self.least,
            nproc=self.nproc,
            host=host,
            port=port,
            max_restarts=spec.processes.max_restarts,
            sharded=spec.mode == "fsdp",
        )
        return cluster if tunnels is None else through(cluster, tunnels)


@dataclass(frozen=True, kw_only=True)
class ClusterView:
    """What the dialog shows; ``error`` is why there is nothing to be shown. ``tunnels`` is what is
    set up before the command, where the machines are connected through SSH.
    """

    titles: tuple[str, ...] = ()
    ranks: tuple[tuple[str, ...], ...] = ()
    environment: str = ""
    command: str = ""
    script: str = ""
    tunnels: str = ""
    note: str = ""
    error: str = ""


def present_cluster(
    cluster: Cluster,
    spec: RunSpec,
    project: Path,
    run: str,
    *,
    trusted: bool,
    tunnels: Tunnels | None = None,
) -> ClusterView:
    """Return it for a run of a project; an empty ``run`` is not made yet. Its machines meet inside
    ``tunnels`` where there are some.
    """
    batch, own = spec.data.batch_size, spec.data.has_custom_batches
    sizes: list[str] = [str(size) for size in shares(cluster, batch)]
    if own:  # of any size
        sizes = [translate("Cluster", "an even share")] * cluster.size
    folder = project / "runs" / (run or _NO_RUN)
    places = rank_assignments(cluster)
    return ClusterView(
        titles=(
            translate("Cluster", "Rank"),
            translate("Cluster", "Machine"),
            translate("Cluster", "Local rank"),
            translate("Cluster", "Samples per batch"),
        ),
        ranks=tuple(
            (str(place.rank), str(place.node), str(place.local_rank), size)
            for place, size in zip(places, sizes, strict=True)
        ),
        environment="\n\n".join(
            "\n".join(f"{name}={value}" for name, value in environment(cluster, place).items())
            for place in places
        ),
        command=machine_command(cluster, folder, trusted=trusted),
        script=slurm_script(cluster, folder, trusted=trusted),
        tunnels=_setup(tunnels) if tunnels is not None else "",
        note=_note(cluster, spec.data, run, is_tunnelled=tunnels is not None),
    )


def _note(cluster: Cluster, data: DataSpec, run: str, *, is_tunnelled: bool) -> str:
    """Return how many processes there are, and who may reach them."""
    note = translate(
        "Cluster",
        "{count} processes in total, which share the batch of {batch} samples.",
    ).format(count=cluster.size, batch=data.batch_size)
    if data.has_custom_batches:
        note = translate(
            "Cluster",
            "{count} processes in total, which share each batch of the batch sampler {name}.",
        ).format(count=cluster.size, name=data.batch_sampler.rpartition(".")[2])
    if run:
        made = translate("Cluster", "{run} was created and is waiting for its machines.")
        note = f"{made.format(run=run)} {note}"
    else:
        note = f"{note} " + translate("Cluster", "RUN is a placeholder until the run is created.")
    if is_tunnelled:
        return f"{note}\n{_inside(cluster)}"
    return note if cluster.host in LOOPBACK else f"{note}\n{_closed(cluster)}"


def _setup(tunnels: Tunnels) -> str:
    """Return what is done on each machine before the run, as lines for a shell."""
    setup = tunnel_setup(tunnels)
    lines: list[str] = []
    for each in setup:
        title = translate("Cluster", "{machine}, as root, once after each restart:")
        lines.append("# " + title.format(machine=_place(each)))
        if each.machine:
            server = translate("Cluster", "its /etc/ssh/sshd_config must contain: {setting}")
            lines.append("# " + server.format(setting=SERVER_SETTING))
        lines += [*each.as_root, ""]
    for link, other in zip(setup[0].links, setup[1:], strict=True):
        title = translate("Cluster", "{machine}, as {user}: the tunnel to {host}, keep it open")
        words = title.format(machine=_place(setup[0]), user=setup[0].user, host=other.host)
        lines += [f"# {words}", link, ""]
    return "\n".join(lines)


def _place(setup: MachineSetup) -> str:
    if not setup.machine:
        return translate("Cluster", "Machine 0 (this one)")
    text = translate("Cluster", "Machine {number} ({host})")
    return text.format(number=setup.machine, host=setup.host)


def _inside(cluster: Cluster) -> str:
    """Return where machines meet that are connected through SSH."""
    return translate(
        "Cluster",
        "The machines connect at {host}:{port} inside SSH tunnels, which contain all their "
        "ports. They cannot be reached from the outside network. Set up the tunnels first "
        "(on Linux, as root), then start the command on each machine.",
    ).format(host=cluster.host, port=cluster.port)


def _closed(cluster: Cluster) -> str:
    """Return who may reach the machines."""
    return translate(
        "Cluster",
        "Allow only these machines to reach port {port} and the ports that their processes "
        "open to each other. Block everybody else with a firewall, a private network or a "
        "VPN, or connect the machines through SSH. They authenticate each other with {key} "
        "in the run folder, which only you can read.",
    ).format(port=cluster.port, key=KEY_NAME)
