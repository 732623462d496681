"""A run for several machines from the command line; here they are two agents on this one."""

import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from engine.events import Stop
from engine.project import Project
from engine.runs.folder import find_run
from engine.runs.follow import read_state
from engine.runs.machine.rendezvous_key import read_key
from engine.runs.machine.tunnel import SERVER_SETTING
from engine.runs.record.state import RunStatus


@pytest.mark.row("S274")
@pytest.mark.row("S275")
def test_that_a_run_is_made_and_each_rank_is_told(project: Path, run: Callable) -> None:
    made = run("machines", project, "--nnodes", 2, "--nproc", 3, "--address", "a:29500", "--json")
    document = made.json()
    assert made.code == 0
    assert document["world_size"] == len(document["ranks"]) == 6
    assert document["ranks"][4]["environment"]["LOCAL_RANK"] == "1"
    assert sum(rank["samples"] for rank in document["ranks"]) == 16
    waiting = find_run(project, "latest")
    assert str(waiting.path) in document["command"]
    assert read_state(waiting).status is RunStatus.STARTING


@pytest.mark.row("S279")
def test_that_a_batch_script_is_written(project: Path, run: Callable, tmp_path: Path) -> None:
    script = tmp_path / "job.sh"
    made = run("machines", project, "--nnodes", 4, "--slurm", script)
    assert made.code == 0
    assert "#SBATCH --nodes=4" in script.read_text()
    assert f"sbatch {script}" in made.out


def test_that_a_run_has_a_key_that_no_command_and_no_script_shows(
    project: Path, run: Callable, tmp_path: Path
) -> None:
    script = tmp_path / "job.sh"
    made = run("machines", project, "--address", "a:29511", "--slurm", script)
    key = read_key(find_run(project, "latest").path).hex()
    assert key not in made.out + script.read_text()
    told = run("machines", project, "--address", "a:29511").out
    assert "Allow only these machines to reach port 29511" in told
    assert read_key(find_run(project, "latest").path).hex() != key
    here = run("machines", project, "--address", "127.0.0.1:29511").out
    assert "only these machines" not in here


def test_that_machines_are_connected_through_ssh(project: Path, run: Callable) -> None:
    others = ("--ssh-tunnel", "anna@machine-1", "bert@machine-2:2222")
    document = run("machines", project, *others, "--port", 29511, "--json").json()
    here, *there = document["tunnels"]
    meeting = document["ranks"][0]["environment"]["MASTER_ADDR"]
    assert document["world_size"] == 3
    assert f"{meeting}:29511" in document["command"]
    assert any(f"address add {meeting} " in command for command in here["as_root"])
    assert [(each["host"], each["user"]) for each in there] == [
        ("anna@machine-1", "anna"),
        ("bert@machine-2:2222", "bert"),
    ]
    told = run("machines", project, *others).out.splitlines()
    commands = [line for each in (here, *there) for line in (*each["as_root"], *each["links"])]
    assert set(commands) < set(told)
    assert any(SERVER_SETTING in line for line in told)
    assert any("encrypted by SSH" in line for line in told)
    assert not any("only these machines" in line for line in told)


TUNNEL = ("--ssh-tunnel", "anna@machine-1")


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--nnodes", 0, "--address", "a:1"),
        ("--nproc", 65, "--address", "a:1"),
        (*TUNNEL, "--address", "a:1"),
        (*TUNNEL, "--slurm", "job.sh"),
        (*TUNNEL, "--nnodes", 3),
        (*TUNNEL, "--port", 65536),
        ("--port", 29511, "--address", "a:1"),
        ("--ssh-tunnel", "machine-1"),
        ("--ssh-tunnel", "anna@machine-1", "anna@machine-1"),
        ("--ssh-tunnel", "anna@machine-1; id"),
        ("--ssh-tunnel", "anna@-oProxyCommand=id"),
    ],
    ids=str,
)
def test_that_what_cannot_be_is_refused_and_makes_no_run(
    project: Path, run: Callable, arguments: tuple
) -> None:
    assert run("machines", project, *arguments).code == 2
    assert not list((project / "runs").glob("run-*"))


def test_that_an_address_that_is_none_is_said(project: Path, run: Callable) -> None:
    made = run("machines", project, "--address", "nowhere")
    assert made.code == 1
    assert "nowhere" in made.err


def test_that_a_port_that_is_taken_here_is_said_with_another_one(
    project: Path, run: Callable
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        made = run("machines", project, "--address", f"127.0.0.1:{port}")
    assert made.code == 1
    assert f"Port {port} of" in made.err
    assert not list((project / "runs").glob("*"))


@pytest.fixture
def address() -> str:
    """Return an address of this machine with a port that nobody uses."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        return f"127.0.0.1:{found.getsockname()[1]}"


@pytest.mark.real
@pytest.mark.nightly
@pytest.mark.row("S277")
@pytest.mark.timeout(400)
def test_that_two_agents_train_one_run(project: Path, run: Callable, address: str) -> None:
    arguments = ("--nnodes", 2, "--nproc", 1, "--address", address, "--json")
    command = run("machines", project, *arguments).json()["command"]
    agents = [subprocess.Popen(["bash", "-c", f"{command} 2> /dev/null"]) for _ in range(2)]
    assert [agent.wait(300) for agent in agents] == [0, 0]
    state = read_state(find_run(project, "latest"))
    assert state.status is RunStatus.FINISHED
    assert state.ranks is not None
    assert state.ranks.is_equal
    assert len(state.ranks.ranks) == 2


@pytest.mark.real
@pytest.mark.nightly
@pytest.mark.row("S287")
@pytest.mark.timeout(600)
def test_that_a_machine_that_comes_later_is_taken_in(
    project: Path, run: Callable, address: str
) -> None:
    arguments = ("--nnodes", "1:2", "--nproc", 1, "--address", address, "--json")
    opened = Project.open(project)
    opened.spec = msgspec.structs.replace(opened.spec, epochs=100_000)
    opened.save()
    command = run("machines", project, *arguments).json()["command"]
    made = find_run(project, "latest")

    def until(claim: Callable) -> None:
        deadline = time.monotonic() + 150
        while not claim(read_state(made)):
            assert time.monotonic() < deadline
            time.sleep(0.2)

    words = ["bash", "-c", f"{command} 2> /dev/null"]
    agents = [subprocess.Popen(words)]
    try:
        until(lambda state: state.step > 100)
        agents.append(subprocess.Popen(words))
        until(lambda state: state.ranks is not None and len(state.ranks.ranks) == 2)
        assert read_state(made).resumed_from
        made.send(Stop())
        assert [agent.wait(60) for agent in agents] == [0, 0]
    finally:
        for agent in agents:
            agent.terminate()
            agent.wait()
