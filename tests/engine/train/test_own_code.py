"""Own layers, functions and losses in runs: train, go on, measure, export; errors at their line."""

from pathlib import Path

import msgspec
import pytest
import torch

from engine.api import evaluate, export
from engine.custom.trust import set_trust
from engine.diagnostics import DiagnosticError, Severity
from engine.project import Project
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.process.launch import Launch, launch_from_line, worker_arguments
from engine.runs.record.state import RunState, RunStatus
from engine.runtime import start_run
from engine.train.worker import run_in_thread
from tests.tiny_run import PATIENCE_S


@pytest.fixture(name="project")
def _project(tmp_path: Path):
    made = Project.create(tmp_path / "own", "custom-code")
    made.spec = msgspec.structs.replace(made.spec, epochs=2, threads=1)
    yield made
    set_trust(made.graph.code, trusted=False)


def train(project: Project, *, trusted: bool = True) -> tuple[RunFolder, RunState]:
    folder = RunFolder.create(project.path, project.graph, project.spec, None)
    return folder, work(folder, Launch(folder=str(folder.path), trusted=trusted))


def work(folder: RunFolder, launch: Launch) -> RunState:
    assert run_in_thread(launch).join(PATIENCE_S)
    return read_state(RunFolder.open(folder.path))


def with_code(project: Project, file: str, old: str, new: str) -> None:
    text = project.graph.code[file]
    assert old in text
    code = {**project.graph.code, file: text.replace(old, new)}
    project.graph = msgspec.structs.replace(project.graph, code=code)


@pytest.mark.real
def test_that_own_code_trains_goes_on_is_measured_and_exported(project, tmp_path, plain_python):
    folder, state = train(project)
    assert state.status is RunStatus.FINISHED
    assert folder.document.graph == project.graph, "the run holds the code that it ran"
    launch = Launch(folder=str(folder.path), resume="latest", length=4, trusted=True)
    state = work(folder, launch)
    assert (state.status, state.epoch) == (RunStatus.FINISHED, 4)
    values = evaluate(folder.path, "last", "test").metrics
    assert 0 < values["test.loss"] < 2
    for name, file in (("state-dict", "w.pt"), ("safetensors", "w.safetensors")):
        assert export(folder.path, name, tmp_path / file).largest_difference == 0
    output = tmp_path / "model.py"
    assert export(folder.path, "python", output).largest_difference == 0
    alone = plain_python.run(str(output), folder=tmp_path)
    assert alone.returncode == 0, alone.stderr
    assert alone.stdout == "(1, 3) torch.float32\n"
    text = output.read_text()
    assert "Requires only PyTorch." in text
    assert "engine" not in text


def test_that_a_run_of_code_that_nobody_trusted_ends_before_any_of_it_runs(project, tmp_path):
    canary = tmp_path / "canary"
    with_code(
        project,
        "layers.py",
        "import torch\n",
        f"import torch\nopen({str(canary)!r}, 'w').close()\n",
    )
    _, state = train(project, trusted=False)
    assert state.status is RunStatus.FAILED
    assert state.problem is not None
    assert state.problem.code == "U027"
    assert not canary.exists()
    _, state = train(project)
    assert state.status is RunStatus.FINISHED
    assert canary.exists()


@pytest.mark.fault("F12")
@pytest.mark.parametrize(
    ("file", "old", "new", "node"),
    [
        ("layers.py", "return x.mm(self.w1)", "return x.mm(self.w1) if self.dead() else 1", "net"),
        ("functions.py", "return grad_output * ctx.coeff, None", "raise KeyError('back')", None),
        ("losses.py", "    return -log", "    1 / 0\n    return -log", None),
    ],
)
def test_that_an_error_in_own_code_is_told_at_its_file_and_line(project, file, old, new, node):
    if node:  # only in training: there is no batch of eleven when shapes are checked
        new = f"if len(x) > 11:\n            raise ValueError\n        {old}"
    with_code(project, file, old, new)
    _, state = train(project)
    assert state.status is RunStatus.FAILED
    assert state.problem is not None
    assert (state.problem.code, state.problem.params["file"]) == ("U031", file)
    lines = project.graph.code[file].splitlines()
    line = lines[int(state.problem.params["line"]) - 1].strip()
    assert line in ("raise ValueError", "raise KeyError('back')", "1 / 0")
    assert state.problem.node == node


@pytest.mark.fault("F09")
def test_that_a_lost_worker_is_told_wherever_its_end_comes_to_light(project):
    """PyTorch raises this in whatever line runs when the worker is gone, here one of the user's."""
    text = "DataLoader worker (pid 7) is killed by signal: Killed. "
    old = "    return -log"
    with_code(project, "losses.py", old, f"    raise RuntimeError({text!r})\n{old}")
    _, state = train(project)
    assert state.problem is not None
    assert (state.problem.code, state.problem.field) == ("D081", "data.loader.num_workers")


@pytest.mark.parametrize(
    ("line", "code"),
    [
        pytest.param("x + x.to('meta')", "L043", marks=pytest.mark.row("S320")),
        pytest.param("[x].cuda()", "L044", marks=pytest.mark.row("S321")),
        pytest.param("x.double().mm(self.w1)", "L026", marks=pytest.mark.row("S322")),
        pytest.param("distributed.barrier()", "L045", marks=pytest.mark.row("S348")),
        pytest.param(
            "torch.distributed.init_process_group()", "L046", marks=pytest.mark.row("S349")
        ),
    ],
)
def test_that_a_run_that_failed_in_own_code_tells_what_the_message_means(
    project, monkeypatch, line, code
):
    monkeypatch.delenv("RANK", raising=False)
    old = "return x.mm(self.w1)"
    new = f"""if len(x) > 11:
            from torch import distributed
            {line}
        {old}"""
    with_code(project, "layers.py", old, new)
    _, state = train(project)
    assert state.problem is not None
    assert state.problem.code == "U031"
    assert [(each.code, each.severity) for each in state.warnings] == [(code, Severity.HINT)]


def test_that_own_code_is_not_trained_in_the_process_of_the_window(project):
    spec = msgspec.structs.replace(project.spec, mode="thread")
    with pytest.raises(DiagnosticError) as raised:
        start_run(project.path, project.graph, spec, problems=(), trusted=True)
    assert raised.value.problems[0].code == "U029"


def test_that_trust_goes_to_the_worker_with_the_launch():
    launch = Launch(folder="/x", trusted=True)
    assert launch_from_line(launch.to_line()).trusted
    assert "--trusted" in worker_arguments(launch)
    assert "--trusted" not in worker_arguments(Launch(folder="/x"))


def test_that_a_name_of_own_code_does_not_get_lost_in_an_exported_file(project, tmp_path):
    with_code(project, "layers.py", "class Norm", "def scale(x):\n    return x * 2\n\n\nclass Norm")
    with_code(project, "layers.py", "return (x - mean)", "return scale(x - mean)")
    data = msgspec.structs.replace(project.spec.data, normalization="standard")
    project.spec = msgspec.structs.replace(project.spec, data=data, epochs=1)
    folder, _ = train(project)
    output = tmp_path / "model.py"
    assert export(folder.path, "python", output).largest_difference == 0
    assert "def scale2(*inputs):" in output.read_text()
    assert torch.get_default_dtype() is torch.float32
