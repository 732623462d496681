"""A run on several machines in words: ranks, environment, and what is started on each machine."""

from dataclasses import dataclass
from pathlib import Path

from engine.runs.cluster import (
    LOOPBACK,
    Cluster,
    environment,
    machine_command,
    rank_places,
    shares,
    slurm_script,
)
from engine.runs.rendezvous_key import KEY_NAME
from engine.spec.run import RunSpec
from studio.i18n import translate

_NO_RUN = "RUN"


@dataclass(frozen=True, kw_only=True)
class ClusterView:
    """What the dialog shows; ``error`` is why there is nothing to be shown."""

    titles: tuple[str, ...] = ()
    ranks: tuple[tuple[str, ...], ...] = ()
    environment: str = ""
    command: str = ""
    script: str = ""
    note: str = ""
    error: str = ""


def present_cluster(
    cluster: Cluster, spec: RunSpec, project: Path, run: str, *, trusted: bool
) -> ClusterView:
    """Return it for a run of a project; an empty ``run`` is not made yet."""
    batch = spec.data.batch_size
    folder = project / "runs" / (run or _NO_RUN)
    places = rank_places(cluster)
    note = translate(
        "Cluster",
        "{count} processes in all; they share out the batch of {batch} samples.",
    ).format(count=cluster.size, batch=batch)
    if run:
        made = translate("Cluster", "{run} is made and waits for its machines.")
        note = f"{made.format(run=run)} {note}"
    else:
        note = f"{note} " + translate("Cluster", "RUN stands for the run until it is made.")
    if cluster.host not in LOOPBACK:
        note = f"{note}\n{_closed(cluster)}"
    return ClusterView(
        titles=(
            translate("Cluster", "Rank"),
            translate("Cluster", "Machine"),
            translate("Cluster", "Local rank"),
            translate("Cluster", "Samples of a batch"),
        ),
        ranks=tuple(
            (str(place.rank), str(place.node), str(place.local_rank), str(size))
            for place, size in zip(places, shares(cluster, batch), strict=True)
        ),
        environment="\n\n".join(
            "\n".join(f"{name}={value}" for name, value in environment(cluster, place).items())
            for place in places
        ),
        command=machine_command(cluster, folder, trusted=trusted),
        script=slurm_script(cluster, folder, trusted=trusted),
        note=note,
    )


def _closed(cluster: Cluster) -> str:
    """Return who may reach the machines."""
    return translate(
        "Cluster",
        "Only these machines may reach port {port} and the ports that their processes open to each "
        "other: close them to everybody else with a firewall, a private network or a VPN. The "
        "machines know each other by {key} in the run's folder, which only you can read.",
    ).format(port=cluster.port, key=KEY_NAME)
