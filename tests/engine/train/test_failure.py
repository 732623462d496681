"""Backward passes that PyTorch refuses: the Function is named and the graph is kept."""

from pathlib import Path

import pytest
import torch
from torch import Tensor

from engine.runs.record.graph_files import graph_files, read_graph
from engine.runs.record.state import RunStatus
from tests.engine.train.test_runner import iris_graph, make_run, train


@pytest.mark.row("S324", "S050")
def test_that_a_tensor_changed_in_place_names_its_function_and_keeps_the_graph(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def changing(_: torch.nn.ReLU, x: Tensor) -> Tensor:
        grown = x.exp()
        return grown.add_(1)

    monkeypatch.setattr(torch.nn.ReLU, "forward", changing)
    run = make_run(tmp_path, iris_graph())
    state = train(run)
    assert state.status is RunStatus.FAILED
    assert state.problem is not None
    assert (state.problem.code, state.problem.node) == ("A003", "act")
    assert state.problem.params["function"] == "ExpBackward0"
    assert (state.problem.params["version"], state.problem.params["expected"]) == (1, 0)
    assert state.graph is not None
    assert state.graph.step == 1
    graph = read_graph(run.artefacts / state.graph.file)
    assert [node.name for node in graph.nodes if node.is_changed] == ["ExpBackward0"]


@pytest.mark.row("S315", "S043")
def test_that_a_graph_of_an_earlier_step_is_told_as_freed_at_its_function(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[Tensor] = []

    def remembering(_: torch.nn.ReLU, x: Tensor) -> Tensor:
        if x.is_meta or not x.requires_grad:
            return x
        before = kept[-1].mean() if kept else 0.0
        kept[:] = [x.sigmoid()]
        return kept[-1] + before

    monkeypatch.setattr(torch.nn.ReLU, "forward", remembering)
    run = make_run(tmp_path, iris_graph())
    state = train(run)
    assert state.problem is not None
    assert (state.problem.code, state.problem.params["step"]) == ("A004", 2)
    assert state.problem.params["function"] == "SigmoidBackward0"
    assert state.last is not None
    assert state.last.tags == ("error",)
    graph = read_graph(graph_files(run.artefacts)[-1])
    assert any(node.is_freed for node in graph.nodes)
