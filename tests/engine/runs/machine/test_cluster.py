"""Ranks, environment and commands of a run on several machines."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from engine.diagnostics import DiagnosticError
from engine.runs.machine.cluster import (
    Cluster,
    environment,
    machine_arguments,
    machine_command,
    parse_address,
    parse_nodes,
    rank_assignments,
    shares,
    slurm_script,
)
from engine.runs.machine.endpoint import rendezvous_arguments

ROOT = Path(__file__).parents[4]
RUN = Path("/home/me/a project/runs/run-0007")
CLUSTER = Cluster(nnodes=2, nproc=4, host="10.0.0.5", port=29500)


@pytest.mark.row("S275")
def test_that_two_machines_of_four_processes_have_eight_ranks() -> None:
    places = rank_assignments(CLUSTER)
    assert [place.rank for place in places] == list(range(8))
    assert [(place.node, place.local_rank) for place in places[3:6]] == [(0, 3), (1, 0), (1, 1)]
    assert all(place.rank == place.node * 4 + place.local_rank for place in places)


@pytest.mark.row("S274")
def test_that_each_process_is_told_its_place_and_where_the_others_are() -> None:
    assert environment(CLUSTER, rank_assignments(CLUSTER)[5]) == {
        "RANK": "5",
        "LOCAL_RANK": "1",
        "WORLD_SIZE": "8",
        "LOCAL_WORLD_SIZE": "4",
        "GROUP_RANK": "1",
        "MASTER_ADDR": "10.0.0.5",
        "MASTER_PORT": "29500",
    }


@pytest.mark.row("S289")
@pytest.mark.parametrize("batch", [32, 33, 5])
def test_that_the_shares_make_the_whole_batch(batch: int) -> None:
    parts = shares(CLUSTER, batch)
    assert sum(parts) == batch
    assert max(parts) - min(parts) <= 1


@pytest.mark.real
@pytest.mark.row("S277")
def test_that_the_command_of_a_machine_survives_a_shell() -> None:
    command = machine_command(CLUSTER, RUN).partition("&& ")[2]
    said = subprocess.run(
        ["bash", "-c", f'for word in {command}; do echo "$word"; done'],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    words, plain = said.stdout.splitlines(), machine_arguments(CLUSTER, RUN)
    own = words.index("--local-addr")
    assert words[:own] + words[own + 2 :] == plain, "no machine here is 10.0.0.5"
    assert words[-1] == str(RUN)
    assert words[words.index("--rdzv-endpoint") + 1] == "10.0.0.5:29500"


def test_that_machines_that_are_all_this_one_have_the_plain_command() -> None:
    here = Cluster(host="127.0.0.1")
    words = shlex.split(machine_command(here, RUN).partition("&& ")[2])
    assert words == machine_arguments(here, RUN)


@pytest.mark.real
@pytest.mark.row("S279")
def test_that_the_slurm_script_starts_one_torchrun_on_each_machine(tmp_path: Path) -> None:
    script = tmp_path / "job.sh"
    text = slurm_script(CLUSTER, RUN)
    script.write_text(text.replace(f"{sys.executable} -m engine.train.ranks.launcher", "echo"))
    assert script.read_text() != text
    options = [line for line in text.splitlines() if line.startswith("#SBATCH ")]
    assert "#SBATCH --nodes=2" in options
    assert "#SBATCH --ntasks-per-node=1" in options
    assert "#SBATCH --cpus-per-task=4" in options
    # Slurm, with two machines that are this one
    fake = f"""
        scontrol() {{ printf '127.0.0.1\\nnode8\\n'; }}
        srun() {{ echo "$1"; shift; "$@"; "$@"; }}
        . {script}
    """
    done = subprocess.run(
        ["bash", "-c", fake],
        env={"SLURM_JOB_ID": "41", "SLURM_JOB_NODELIST": "node[7-8]", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    asked, *started = done.stdout.splitlines()
    assert asked == "--cpus-per-task=4", "Slurm hands it down to srun no more"
    wanted = machine_arguments(replace(CLUSTER, host="127.0.0.1", port=20041), RUN)[3:]
    wanted.remove("--local-addr")  # comes from the machine itself, with what it is
    own = rendezvous_arguments("127.0.0.1", 20041)
    place = wanted.index("-m")
    wanted[place - 1 : place] = own
    assert started == 2 * [" ".join(wanted)]


@pytest.mark.parametrize(
    "text",
    ["", "host", ":1", "host:", "host:0", "host:65536", "a b:1", "-o:1", "a\x1b[2J:1", "$(a):1"],
)
def test_that_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(DiagnosticError) as refusal:
        parse_address(text)
    assert refusal.value.problems[0].code == "R190"


def test_that_an_address_is_host_and_port() -> None:
    for host in ("[fe80::1]", "fe80::1%eth0", "gpu_7.example", "192.168.0.7"):
        assert parse_address(f" {host}:29500 ") == (host, 29500)


@pytest.mark.fault("S08")
@pytest.mark.parametrize("host", ["g\u0440u", "192.168.0.\uff12\uff10", "[fe80::1%\u0435th0]"])
def test_that_machines_meet_at_no_name_that_looks_like_another(host: str) -> None:
    with pytest.raises(DiagnosticError) as refusal:
        parse_address(f"{host}:29500")
    assert refusal.value.problems[0].code == "R422"


@pytest.mark.row("S286")
def test_that_processes_are_told_that_the_weights_are_dealt_out() -> None:
    assert machine_arguments(Cluster(sharded=True), RUN)[-1] == "--sharded"
    assert "--sharded" not in machine_arguments(Cluster(), RUN)


@pytest.mark.row("S287")
def test_that_machines_may_come_and_go() -> None:
    cluster = Cluster(nnodes=2, least=1)
    arguments = machine_arguments(cluster, RUN)
    assert arguments[arguments.index("--nnodes") + 1] == "1:2"
    assert "#SBATCH --nodes=1-2\n" in slurm_script(cluster, RUN)


@pytest.mark.row("S287")
@pytest.mark.parametrize(
    ("text", "nodes"),
    [("2", (2, 2)), ("1:2", (1, 2)), ("2:1", (0, 0)), ("0:2", (0, 0)), ("a", (0, 0))]
    + [(text, (0, 0)) for text in ("", "1:2:3", "1:", "-1")],
)
def test_that_a_range_of_machines_is_read(text: str, nodes: tuple[int, int]) -> None:
    assert parse_nodes(text) == nodes
