"""What a run begins with: tensors from files, and the values that are shown beforehand."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from engine.archive.weights import write_weights
from engine.diagnostics import DiagnosticError, sentence
from engine.graph.edit.block_edits import GroupNodes, SetRepeat
from engine.graph.edit.edits import SetParam, apply
from engine.graph.model import Graph, Initial
from engine.graph.module_name import module_name
from engine.graph.node_state.initialization import SetInitial, initial_problems
from engine.model.source import to_source
from engine.query.listing.answer import preview_weights
from engine.query.listing.request import PreviewWeights, WeightPreview
from engine.runs.record.state import RunStatus
from engine.spec.run import Choice
from engine.train.checkpoint.file import load_checkpoint
from tests.tiny_run import iris_graph, make_run, train

STILL = Choice(type="SGD", params={"lr": 0.0})


def from_file(graph: Graph, node: str, file: str, tensor: str = "") -> Graph:
    params = {"file": file} | ({"tensor": tensor} if tensor else {})
    initial = Initial(type="file", params=params)
    return apply(SetInitial(ids=(node,), weight="weight", initial=initial), graph)


def initial_values(
    graph: Graph, node_path: str, project: Path, seed: int = 3, **start: Any
) -> WeightPreview:
    """Return what the parameters of a layer begin with."""
    start = {"weights": "", "renamed": {}} | start
    return preview_weights(
        PreviewWeights(graph=graph, place=node_path, seed=seed, project=str(project), **start)
    )


def end(tmp_path: Path, graph: Graph) -> dict[str, torch.Tensor]:
    """Return the weights of a run that learns nothing: those that it began with."""
    folder = make_run(tmp_path, graph, optimizer=STILL, epochs=1, metrics=())
    assert train(folder).status is RunStatus.FINISHED
    file = max(folder.checkpoints.glob("*.ckpt"))
    return load_checkpoint(file).model


@pytest.mark.row("S083", "S235")
def test_that_a_run_begins_with_the_tensor_of_a_file_and_all_else_as_shown(tmp_path: Path) -> None:
    given = np.arange(32, dtype=np.float32).reshape(8, 4)
    np.save(tmp_path / "start.npy", given)
    graph = from_file(iris_graph(), "hidden", "start.npy")
    initial = Initial(type="xavier_normal_", params={"gain": 2.0})
    graph = apply(SetInitial(ids=("head",), weight="weight", initial=initial), graph)
    assert "# self.hidden.weight: initialized from start.npy" in to_source(graph)
    shown = {
        (place, values.name): values
        for place in ("hidden", "head")
        for values in initial_values(graph, place, tmp_path).weights
    }
    found = end(tmp_path, graph)
    assert torch.equal(found["hidden.weight"], torch.from_numpy(given))
    for (place, name), values in shown.items():
        actual = found[f"{place}.{name}"].double()
        assert values.shape == tuple(actual.shape)
        assert values.mean == pytest.approx(float(actual.mean()), abs=1e-12)
        assert values.std == pytest.approx(float(actual.std(correction=0)), abs=1e-12)
        assert sum(values.counts) == actual.numel()
        assert (values.minimum, values.maximum) == (float(actual.min()), float(actual.max()))


@pytest.mark.row("S083")
def test_that_the_file_of_weights_that_a_run_starts_from_is_shown_where_it_fits(
    tmp_path: Path,
) -> None:
    file = tmp_path / "start.safetensors"
    write_weights({"old.weight": torch.full((8, 4), 0.5)}, file)
    shown = [
        {
            values.name: (values.minimum, values.maximum)
            for values in initial_values(iris_graph(), "hidden", tmp_path, **start).weights
        }
        for start in ({}, {"weights": file.name, "renamed": {"hidden": "old"}})
    ]
    assert shown[1]["weight"] == (0.5, 0.5) != shown[0]["weight"]
    assert shown[1]["bias"] == shown[0]["bias"]


def test_that_looking_draws_no_random_number_of_the_program() -> None:
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    initial_values(iris_graph(), "hidden", Path())
    assert torch.equal(torch.rand(3), expected)


@pytest.mark.parametrize("suffix", [".safetensors", ".pt"])
def test_that_a_tensor_is_found_by_its_name(tmp_path: Path, suffix: str) -> None:
    tensors = {"a": torch.ones(8, 4), "b": torch.zeros(3)}
    file = tmp_path / f"many{suffix}"
    if suffix == ".pt":
        torch.save(tensors, file)
    else:
        write_weights(tensors, file)
    graph = from_file(iris_graph(), "hidden", file.name, "a")
    values = initial_values(graph, "hidden", tmp_path, seed=0).weights[0]
    assert (values.minimum, values.maximum, values.counts) == (1.0, 1.0, (32,))
    for tensor, code in (("", "R143"), ("c", "R143"), ("b", "R144")):
        wrong = from_file(iris_graph(), "hidden", file.name, tensor)
        with pytest.raises(DiagnosticError) as caught:
            initial_values(wrong, "hidden", tmp_path, seed=0)
        assert caught.value.problems[0].code == code
        assert sentence(caught.value.problems[0], "zh_CN")


def test_that_copies_and_blocks_begin_from_the_file_too(tmp_path: Path) -> None:
    np.save(tmp_path / "eye.npy", np.eye(8, dtype=np.float64))
    graph = apply(SetParam(id="head", name="out_features", value=8), iris_graph())
    graph = from_file(apply(SetRepeat(id="head", repeat=2), graph), "head", "eye.npy")
    graph = apply(GroupNodes(ids=("act", "head"), name="Tail"), graph)
    use = next(node for node in graph.nodes.values() if node.type == "block.Tail")
    place = f"{use.id}/head"
    assert module_name(graph, place) == f"{use.name}.head.0"
    weight = initial_values(graph, place, tmp_path, seed=0).weights[0]
    assert (weight.mean, weight.maximum) == (0.125, 1.0)


def test_that_a_run_without_its_file_ends_before_the_first_step(tmp_path: Path) -> None:
    folder = make_run(tmp_path, from_file(iris_graph(), "hidden", "gone.npy"), epochs=1)
    state = train(folder)
    assert (state.status, state.step) == (RunStatus.FAILED, 0)
    assert state.problem is not None
    assert state.problem.code == "X025"


@pytest.mark.parametrize("content", [b"", b"no array", b"\x93NUMPY\x01\x00"])
def test_that_a_damaged_array_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad.npy").write_bytes(content)
    with pytest.raises(DiagnosticError) as caught:
        initial_values(from_file(iris_graph(), "hidden", "bad.npy"), "hidden", tmp_path, seed=0)
    assert caught.value.problems[0].code == "X023"


def test_that_an_array_with_objects_in_it_is_not_unpacked(tmp_path: Path) -> None:
    np.save(tmp_path / "code.npy", np.array([{"a": 1}], dtype=object))
    with pytest.raises(DiagnosticError) as caught:
        initial_values(from_file(iris_graph(), "hidden", "code.npy"), "hidden", tmp_path, seed=0)
    assert caught.value.problems[0].code == "X023"


@pytest.mark.parametrize("file", ["../a.npy", "/a.npy", "a.pkl", "c:a.npy", "", "a\\..\\b.npy"])
def test_that_a_file_outside_the_project_cannot_be_named(file: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        from_file(iris_graph(), "hidden", file)
    assert caught.value.problems[0].code == "G102"


@pytest.mark.row("S235", "S240")
@pytest.mark.parametrize(
    ("ending", "is_safe"),
    [
        *((ending, False) for ending in ("pt", "pth", "bin", "ckpt", "tar")),
        *((ending, True) for ending in ("safetensors", "bin", "pt")),
    ],
)
def test_that_a_layer_begins_with_a_file_whatever_its_ending(
    tmp_path: Path, ending: str, *, is_safe: bool
) -> None:
    given = {"other.weight": torch.arange(32.0).reshape(8, 4), "other.bias": torch.ones(8)}
    (write_weights if is_safe else torch.save)(given, tmp_path / f"start.{ending}")
    graph = from_file(iris_graph(), "hidden", f"start.{ending}", "other.weight")
    assert not initial_problems(graph, graph.nodes["hidden"])
    found = end(tmp_path, graph)
    assert torch.equal(found["hidden.weight"], given["other.weight"])
