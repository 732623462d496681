"""A recomputed node that changes its input in place is told before the run."""

import pytest
import torch

from engine.diagnostics import sentence
from engine.graph.edit.block_edits import GroupNodes
from engine.graph.edit.edits import apply
from engine.graph.model import Graph
from engine.graph.node_state.recomputation import RecomputeNodes
from engine.model.module import to_module
from engine.spec.recomputation_rule import check_recomputation
from tests.engine.graph.builder import model


def graph(name: str, *, inplace: bool) -> Graph:
    made = model(
        (6,),
        ("Linear", {"out_features": 8}, "first"),
        ("ReLU", {"inplace": inplace}, "act"),
        ("Linear", {"out_features": 3}, "last"),
    )
    if name == "body":
        made = apply(GroupNodes(ids=("act", "last"), name="Body"), made)
    return apply(RecomputeNodes(ids=(name,)), made)


@pytest.mark.parametrize("name", ["act", "body"])
def test_that_an_input_that_is_changed_in_place_is_told(name: str) -> None:
    (problem,) = check_recomputation(graph(name, inplace=True))
    assert (problem.code, problem.node) == ("R467", name)
    assert "“act”" in sentence(problem)
    with pytest.raises(RuntimeError, match="inplace"):  # what PyTorch says of it
        to_module(graph(name, inplace=True))(torch.randn(4, 6)).sum().backward()
    assert not list(check_recomputation(graph(name, inplace=False)))
