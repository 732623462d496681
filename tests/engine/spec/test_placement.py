"""Parts of a model on devices of their own, as a setting of a run."""

import msgspec
import pytest

from engine.custom.trust import set_trust
from engine.diagnostics import DiagnosticError
from engine.graph.model import Graph, Node
from engine.model.analysis import analyse
from engine.spec.fields import set_text
from engine.spec.placement import check_placement, device_of, placements
from engine.spec.run import ComputeSpec, ParameterGroup, RunSpec
from engine.spec.run_rule import check_groups
from tests.engine.reader.test_follow import typed
from tests.tiny_run import iris_graph, node

WHOLE = """\
import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(6, 6)
        self.act = nn.ReLU()

    def forward(self, x):
        return self.act(self.fc(x)) if x.sum() > 0 else x
"""


def codes(graph: Graph | None = None, **changes: object) -> list[str]:
    compute = ComputeSpec(placement="hidden=cuda:0, head=cuda:1")
    spec, graph = RunSpec(**{"compute": compute} | changes), graph or iris_graph()
    analysis = analyse(graph)
    found = (*check_placement(spec, graph, analysis), *check_groups(spec, graph, analysis))
    return [each.code for each in found]


@pytest.mark.row("S284")
def test_that_parts_and_devices_are_read() -> None:
    parts = placements("layer1.*=cuda:1，head = cpu")
    assert parts == {"layer1.*": "cuda:1", "head": "cpu"}
    assert device_of("layer1.0", parts) == "cuda:1"
    assert device_of("head.fc", parts) == "cpu"
    assert device_of("layer2", parts) is None


@pytest.mark.parametrize("text", ["head", "head=gpu1", "=cuda:1", "head=cuda:1;x=cpu", "a b=cpu"])
def test_that_what_is_no_placement_is_refused_at_its_field(text: str) -> None:
    with pytest.raises(DiagnosticError) as refusal:
        set_text(RunSpec(), "compute.placement", text)
    found = refusal.value.problems[0]
    assert (found.code, found.field) == ("R209", "compute.placement")


def test_that_what_a_placement_does_not_go_with_is_told() -> None:
    assert codes() == []
    assert codes(compute=ComputeSpec(placement="tail=cpu")) == ["R210"]
    assert codes(mode="ddp") == ["R212"]
    assert codes(compute=ComputeSpec(placement="head=cpu", compile=True)) == ["R213"]


@pytest.mark.row("S284")
@pytest.mark.parametrize(("around", "before"), [((), ""), ((node("ReLU", "relu"),), "net.")])
def test_that_what_is_in_own_code_is_known_by_its_name(
    around: tuple[Node, ...], before: str
) -> None:
    input_node = node("Input", "x", shape=(6,))
    graph = typed(Graph(nodes={"x": input_node}), WHOLE)
    graph = msgspec.structs.replace(graph, nodes=graph.nodes | {one.id: one for one in around})
    set_trust(graph.code, trusted=True)
    placement, match = f"{before}fc=cpu, {before}act=cuda:0", f"{before}fc, {before}fc.bias"
    groups = (ParameterGroup(match=match),)
    assert codes(graph, compute=ComputeSpec(placement=placement), groups=groups) == []
    groups = (ParameterGroup(match="nix"),)
    compute = ComputeSpec(placement=f"{before}nix=cpu")
    assert codes(graph, compute=compute, groups=groups) == ["R210", "R056"]
