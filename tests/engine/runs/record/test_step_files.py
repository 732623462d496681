"""Artefacts of a run that somebody else may have made: read, or told with their name."""

from pathlib import Path

import msgspec
import pytest

from engine.diagnostics import DiagnosticError
from engine.runs.record.autograd_graph import AutogradGraph, AutogradNode, BackwardCall, CutPart
from engine.runs.record.graph_files import graph_files, read_graph, write_graph
from engine.runs.record.step_files import StepFiles
from engine.runs.record.surface import SURFACES, Surface
from engine.runs.record.tensor_capture import CapturedTensor, tensor_files

LOSS, LEAF = AutogradNode(id="0", name="MulBackward0"), AutogradNode(id="1", name="AccumulateGrad")
GRAPH = AutogradGraph(nodes=(LOSS, LEAF), edges=(("0", "1", 0),), roots=("0",))
TENSOR = CapturedTensor(
    step=1,
    kind="parameter",
    name="a.weight",
    shape=(2, 3),
    stored="<f4",
    data=bytes(24),
    attributes=(),
)
SURFACE = Surface(
    step=1, x=(-1, 1), y=(0, 2), size=2, outputs=3, is_classified=True, values=bytes(24)
)


def kept(files: StepFiles, content: msgspec.Struct, artefacts: Path) -> object:
    """Write what a stranger's file says and read it as the window does."""
    return files.read(files.write(artefacts, 1, content))


@pytest.mark.parametrize(
    "changes",
    [
        {"nodes": (LOSS, LEAF, LEAF)},
        {"nodes": (LOSS,)},
        {"roots": ("7",)},
        {"edges": (("0", "1", 0), ("1", "0", 0))},
        {"edges": (("0", "0", 0),)},
        {"calls": (BackwardCall(id="7", start_s=0, took_s=1),)},
        {"cuts": (CutPart(kind="detach", sources=("7",)),)},
        {"cuts": (CutPart(kind="detach", readers=("7",)),)},
    ],
    ids=["twice", "no target", "no root", "round", "to itself", "call", "source", "reader"],
)
def test_that_a_graph_that_is_none_is_told(changes: dict, tmp_path: Path) -> None:
    damaged = write_graph(tmp_path, 1, msgspec.structs.replace(GRAPH, **changes))
    with pytest.raises(DiagnosticError) as told:
        read_graph(damaged)
    assert told.value.problems[0].code == "A002"
    assert told.value.problems[0].params["file"] == damaged.name


def test_that_a_graph_is_read_as_it_was_written(tmp_path: Path) -> None:
    assert read_graph(write_graph(tmp_path, 1, GRAPH)) == GRAPH


@pytest.mark.parametrize(
    "changes",
    [
        {"shape": (2, 4)},
        {"shape": (-2, -3)},
        {"shape": (1 << 62, 1 << 62, 0), "data": b""},
        {"shape": (1,) * 100, "data": bytes(4)},
        {"stored": "O"},
        {"stored": "<M8[s]"},
        {"stored": "<f3"},
        {"stored": "f4,f4"},
    ],
    ids=["larger", "below zero", "room", "axes", "objects", "dates", "no float", "records"],
)
def test_that_a_tensor_whose_bytes_are_not_its_own_is_told(changes: dict, tmp_path: Path) -> None:
    with pytest.raises(DiagnosticError) as told:
        kept(tensor_files, msgspec.structs.replace(TENSOR, **changes), tmp_path)
    assert told.value.problems[0].code == "A020"


@pytest.mark.parametrize(
    ("stored", "size"), [("|b1", 1), ("|u1", 1), ("<i8", 8), ("<f2", 2), ("<c8", 8), ("<c16", 16)]
)
def test_that_a_tensor_of_any_type_is_read(stored: str, size: int, tmp_path: Path) -> None:
    captured = msgspec.structs.replace(TENSOR, stored=stored, data=bytes(6 * size))
    assert kept(tensor_files, captured, tmp_path) == captured
    for shape in ((), (0, 3)):
        count = 0 if shape else 1
        other = msgspec.structs.replace(captured, shape=shape, data=bytes(count * size))
        assert kept(tensor_files, other, tmp_path) == other


@pytest.mark.parametrize(
    "changes",
    [
        {"size": 3},
        {"size": 0, "values": b""},
        {"outputs": 0, "values": b""},
        {"x": (1.0, 1.0)},
        {"y": (0.0, float("nan"))},
        {"x": (float("-inf"), 1.0)},
        {"dtype": "<f4"},
    ],
    ids=["points", "no points", "no outputs", "no width", "no number", "no end", "type"],
)
def test_that_a_surface_without_its_plane_is_told(changes: dict, tmp_path: Path) -> None:
    with pytest.raises(DiagnosticError) as told:
        kept(SURFACES, msgspec.structs.replace(SURFACE, **changes), tmp_path)
    assert told.value.problems[0].code == "V006"


def test_that_text_that_is_none_is_told(tmp_path: Path) -> None:
    file = write_graph(tmp_path, 1, GRAPH)
    file.write_bytes(file.read_bytes().replace(b"MulBackward0", b"Mul\xffackward0"))
    with pytest.raises(DiagnosticError) as told:
        read_graph(file)
    assert told.value.problems[0].code == "A002"


@pytest.mark.parametrize("name", ["notes", "-1", "1e3", "", "²"])
def test_that_files_that_belong_to_no_step_are_left_alone(name: str, tmp_path: Path) -> None:
    file = write_graph(tmp_path, 1, GRAPH)
    (file.parent / f"{name}.graph").write_bytes(b"")
    assert graph_files(tmp_path) == [file]
