"""``import MODEL PROJECT``: a project that computes the same; runs start from its weights."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
import torch
from torch import Tensor, nn

from engine.project import Project
from engine.runs.folder import runs_of
from engine.runs.record.store import RunStore
from engine.spec.run import Choice, LossTerm
from tests.plain_python import PlainPython

pytestmark = pytest.mark.real

ROOT = Path(__file__).parents[3]
CODE = """
import os
from pathlib import Path
import torch
from torch import nn

Path(__file__).with_name("process").write_text(str(os.getpid()))

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Flatten(), nn.Linear(64, 16), nn.ReLU())
        self.head = nn.Linear(16, {classes})

    def forward(self, x):
        return self.head(self.body(x))

class Strange(nn.Module):
    def forward(self, x):
        raise ValueError("never computed")

class Picky(nn.Module):
    def __init__(self, size):
        super().__init__()
"""


Trellis = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def trellis(plain_python: PlainPython) -> Trellis:
    """Return what carries out a command in a process of its own."""
    return lambda *arguments: plain_python.run("main.py", *arguments, folder=ROOT, path=[ROOT])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "net.py"
    path.write_text(CODE.replace("{classes}", "10"), encoding="utf-8")
    return path


def _ready(path: Path, head: int) -> None:
    """Bind data and loss, and give the model another head."""
    project = Project.open(path)
    nodes = dict(project.graph.nodes)
    for node in nodes.values():
        params: dict[str, object] = {}
        if node.type == "Input":
            params = {**node.params, "field": "image"}
        if node.name == "head":
            params = {**node.params, "out_features": head}
        if params:
            nodes[node.id] = msgspec.structs.replace(node, params=params)
    project.graph = msgspec.structs.replace(project.graph, nodes=nodes)
    inputs = {"input": "model.output", "target": "data.label"}
    loss = LossTerm(loss=Choice(type="CrossEntropyLoss"), inputs=inputs)
    project.spec = msgspec.structs.replace(project.spec, losses=(loss,))
    project.save()


@pytest.mark.row("P11", "N04", "S121")
def test_that_a_class_in_a_file_becomes_a_project_that_trains_from_its_weights(
    trellis: Trellis, file: Path, tmp_path: Path
) -> None:
    target = tmp_path / "project"
    done = trellis("import", f"{file}::Net", str(target), "--input", "1x8x8")
    assert done.returncode == 0, done.stderr
    assert "warning" in done.stderr
    assert (file.parent / "process").read_text(encoding="utf-8")
    assert Project.open(target).spec.weights == "weights/imported.safetensors"
    assert (target / "weights" / "imported.safetensors").stat().st_size > 16 * 64 * 4

    _ready(target, 12)
    done = trellis("train", str(target), "--epochs", "1", "--device", "cpu", "--quiet")
    assert done.returncode == 0, done.stderr
    with RunStore.open(runs_of(target)[0].path) as store:
        told = [getattr(stored.event, "problem", None) for stored in store.events()]
    report = next(problem for problem in told if problem is not None)
    assert report.code == "R142"
    assert report.params["kept"] == 2
    assert report.params["new"] == "head.weight, head.bias"


class _Forgetful(nn.Module):
    """Has a layer that ``forward`` does not call."""

    def __init__(self) -> None:
        super().__init__()
        self.head, self.spare = nn.Linear(8, 2), nn.Linear(8, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(x)


@pytest.mark.row("P11")
def test_that_what_an_import_leaves_out_is_told(trellis: Trellis, tmp_path: Path) -> None:
    sizes = ({0: torch.export.Dim("batch", min=2)},)
    model = _Forgetful().eval()
    program = torch.export.export(model, (torch.zeros(2, 8),), dynamic_shapes=sizes)
    torch.export.save(program, tmp_path / "forgetful.pt2")
    done = trellis("import", str(tmp_path / "forgetful.pt2"), str(tmp_path / "project"))
    assert done.returncode == 0, done.stderr
    assert "warning" in done.stderr
    assert "spare.weight" in done.stderr


@pytest.mark.parametrize(
    ("name", "word"),
    [("Strange", "cannot be traced"), ("Picky", "without arguments"), ("Nothing", "no nn.Module")],
)
def test_that_what_cannot_be_imported_leaves_no_project(
    trellis: Trellis, file: Path, tmp_path: Path, name: str, word: str
) -> None:
    target = tmp_path / "project"
    done = trellis("import", f"{file}::{name}", str(target), "--input", "1x8x8")
    assert done.returncode == 1
    assert word in done.stderr
    assert not target.exists()


def test_that_an_unknown_name_tells_those_that_are_near(trellis: Trellis, tmp_path: Path) -> None:
    done = trellis("import", "resnet19", str(tmp_path / "project"))
    assert done.returncode == 1
    assert "resnet18" in done.stderr


def test_that_a_folder_in_use_and_a_wrong_size_are_wrong_use(
    trellis: Trellis, file: Path, tmp_path: Path
) -> None:
    assert trellis("import", "resnet18", str(tmp_path)).returncode == 2
    target = str(tmp_path / "project")
    assert trellis("import", f"{file}::Net", target, "--input", "8 by 8").returncode == 2
