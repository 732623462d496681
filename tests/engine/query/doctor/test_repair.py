"""What the doctor offers, tried for real: each remedy heals a model that has the illness."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from engine.data.preview import describe
from engine.diagnostics import Diagnostic, Severity
from engine.graph.model import Edge, Graph, Initial
from engine.graph.repair.case import RepairProposal
from engine.query.doctor.answer import findings
from engine.query.doctor.proposals import doctor_proposals
from engine.query.doctor.repair import propose_repairs
from engine.spec.data import SplitInfo
from engine.spec.repair import repaired
from engine.spec.run import Choice, DataSpec, RunSpec, SplitSpec
from tests.tiny_run import chain, iris_graph, iris_spec, node

NORMAL = DataSpec(source=Choice(type="iris"), normalization="standard")


def spec(**changes) -> RunSpec:
    return iris_spec(**{"data": NORMAL} | changes)


def begun(graph: Graph, name: str, weight: str, initial: Initial) -> Graph:
    changed = replace(graph.nodes[name], init={weight: initial})
    return replace(graph, nodes=graph.nodes | {name: changed})


def sigmoids(count: int) -> Graph:
    deep = [
        part
        for at in range(count)
        for part in (node("Linear", f"layer{at}", out_features=8), node("Sigmoid", f"act{at}"))
    ]
    first, last = node("Input", "features", field="features", shape=(4,)), node("Output", "logits")
    return chain(first, *deep, node("Linear", "head", out_features=3), last)


def beside() -> Graph:
    graph = iris_graph()
    more = {"beside": node("Linear", "beside", out_features=2), "extra": node("Output", "extra")}
    edges = (
        Edge(source="features", source_port="output", target="beside", target_port="input"),
        Edge(source="beside", source_port="output", target="extra", target_port="input"),
    )
    return replace(graph, nodes=graph.nodes | more, edges=(*graph.edges, *edges))


def soft(dim: int) -> Graph:
    return iris_graph(node("Softmax", "soft", dim=dim))


DEAD = begun(iris_graph(), "hidden", "bias", Initial(type="constant_", params={"val": -50.0}))
SURE = begun(iris_graph(), "head", "weight", Initial(type="normal_", params={"std": 9.0}))


def exploding() -> Graph:
    """Return layers whose weights begin so large that the gradient of the head explodes."""
    large = Initial(type="normal_", params={"std": 20.0})
    deep = [node("Linear", "first", out_features=32), node("Linear", "second", out_features=32)]
    first, last = node("Input", "features", field="features", shape=(4,)), node("Output", "logits")
    parts = [replace(each, init={"weight": large}) for each in deep]
    return chain(first, *parts, node("Linear", "head", out_features=3), last)


def rooted() -> Graph:
    """Return a model whose root is of 0 where a picture is black: its derivative is not finite."""
    return chain(
        node("Input", "image", field="image", shape=(1, 8, 8)),
        node("Conv2d", "conv", out_channels=4, kernel_size=3, bias=False),
        node("abs", "size"),
        node("sqrt", "root"),
        node("Flatten", "flat"),
        node("Linear", "head", out_features=10),
        node("Output", "logits"),
    )


DIGITS = DataSpec(source=Choice(type="digits"))
DETACHED = iris_graph(node("detach", "cut"))


@pytest.mark.row("N15")
@pytest.mark.parametrize(
    ("code", "graph", "spec", "first"),
    [
        ("H001", DEAD, spec(), "F049"),
        ("H002", sigmoids(11), spec(), "F041 F050"),  # what leaves less in its time
        ("H003", exploding(), spec(), "F049"),
        ("H007", exploding(), spec(), "F049"),
        ("H012", iris_graph(node("log", "log")), spec(), "F002"),
        ("H013", rooted(), spec(data=DIGITS), "F002"),
        ("H004", iris_graph(), spec(optimizer=Choice(type="SGD", params={"lr": 100.0})), "F047"),
        ("H005", iris_graph(), spec(optimizer=Choice(type="SGD", params={"lr": 1e-9})), "F047"),
        ("H006", beside(), spec(), "F043"),
        ("H006", DETACHED, spec(), "F005"),
        ("H007", SURE, spec(), "F049"),
        ("H008", iris_graph(), spec(optimizer=Choice(type="SGD", params={"lr": 1e-5})), "F047"),
        ("H009", iris_graph(), spec(data=replace(NORMAL, split=SplitSpec(seed=3))), "F051"),
        ("H011", soft(0), spec(), "F001"),
    ],
)
def test_that_what_is_offered_first_heals_the_illness(code, graph, spec, first, tmp_path):
    problems = findings(graph, spec, tmp_path)
    ill = next(problem for problem in problems if problem.code == code)
    offered = propose_repairs(graph, spec, tmp_path, [ill, *problems])[0]
    assert offered[0].words.code in first.split()
    assert code not in codes(offered[0], graph, spec, tmp_path)


def codes(fix: RepairProposal, graph: Graph, before: RunSpec, project: Path) -> set[str]:
    """Return what is found after a fix was applied."""
    after, changed = repaired(fix, graph, before, describe(before.data))
    return {problem.code for problem in findings(after, changed, project)}


@pytest.mark.row("N15")
def test_that_what_leaves_the_fewest_findings_is_offered_first(tmp_path):
    high = spec(optimizer=Choice(type="SGD", params={"lr": 100.0}))
    problems = findings(iris_graph(), high, tmp_path)
    for fixes in propose_repairs(iris_graph(), high, tmp_path, problems):
        assert codes(fixes[0], iris_graph(), high, tmp_path) == set()


def test_that_a_remedy_that_does_not_help_is_not_offered(tmp_path):
    ill = next(p for p in findings(soft(0), spec(), tmp_path) if p.code == "H011")
    proposed = doctor_proposals(ill, soft(0), spec())
    assert [fix.edit.value for fix in proposed] == [1, -1]
    hopeless = Diagnostic(code="H011", severity=Severity.WARNING)
    assert propose_repairs(soft(1), spec(), tmp_path, [hopeless]) == ((),)


def test_that_a_remedy_of_another_finding_is_offered_where_it_heals_too(tmp_path):
    graph = begun(DEAD, "head", "bias", Initial(type="constant_", params={"val": 5.0}))
    problems = findings(graph, spec(), tmp_path)
    fixes = propose_repairs(graph, spec(), tmp_path, problems)
    found = {problem.code: each for problem, each in zip(problems, fixes, strict=True)}
    assert found["H001"][0] in found["H002"]


@pytest.mark.row("N15")
def test_that_rare_classes_get_weights_in_the_loss_and_the_doctor_is_content(tmp_path):
    info = describe(NORMAL)
    uneven = SplitInfo(name="train", samples=66, class_counts=(50, 10, 6))
    ill = Diagnostic(code="H010", severity=Severity.WARNING)
    info = replace(info, splits=(uneven,))
    weights, sampler = doctor_proposals(ill, iris_graph(), spec(), info)
    assert weights.settings == {"losses.0.loss.weight": (0.44, 2.2, 3.6667)}
    assert sampler.settings == {"data.sampler": "balanced"}
    assert propose_repairs(iris_graph(), spec(), tmp_path, [ill], info)
    for fix in (weights, sampler):
        assert "H010" not in codes(fix, iris_graph(), spec(), tmp_path)
    balanced = spec(data=replace(NORMAL, sampler="balanced"))
    assert doctor_proposals(ill, iris_graph(), balanced, info) == (weights,)
    still = spec(data=replace(NORMAL, shuffle=False, sampler_column="x"))
    *_, sampler = doctor_proposals(ill, iris_graph(), still, info)
    _, changed = repaired(sampler, iris_graph(), still)
    assert changed.data == replace(NORMAL, sampler="balanced")


def test_that_clipping_is_offered_for_what_explodes_and_not_twice():
    ill = Diagnostic(code="H003", severity=Severity.WARNING, node="hidden")
    (fix,) = doctor_proposals(ill, iris_graph(), spec())
    _, changed = repaired(fix, iris_graph(), spec())
    assert (changed.clip.kind, changed.clip.limit) == ("norm", 1.0)
    assert doctor_proposals(ill, iris_graph(), changed) == ()
