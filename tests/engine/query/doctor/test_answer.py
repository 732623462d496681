"""Models that have an illness, and one that has none, examined as the window has them examined."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from engine.custom.trust import set_trust
from engine.diagnostics import DiagnosticError, sentence
from engine.graph.model import Edge, Graph, Initial
from engine.query.doctor.answer import check_up, check_up_run
from engine.query.doctor.repair import propose_repairs
from engine.query.doctor.request import CheckUpReport
from engine.runs.folder import RunFolder
from engine.spec.run import Choice, DataSpec, LossTerm, PhaseRule, PhaseSpec, SplitSpec
from tests.tiny_gan import gan_graph, gan_spec
from tests.tiny_run import CROSS_ENTROPY, chain, iris_graph, iris_spec, make_run, node, train

NORMAL = DataSpec(source=Choice(type="iris"), normalization="standard")
DEAD = {"bias": Initial(type="constant_", params={"val": -50.0})}
RECTIFIED = """
import torch.nn.functional as F
from torch import nn


class Rectified(nn.Module):
    def forward(self, input):
        return F.relu(input - 50)
"""


def examine(graph: Graph, project: Path, **changes) -> CheckUpReport:
    return check_up(graph, iris_spec(**{"data": NORMAL} | changes), project)


def codes(report: CheckUpReport) -> set[str]:
    """Return what was found; iris itself holds one flower twice, in two parts or not."""
    return {found.code for rule in report.rules for found in rule.problems} - {"H009"}


def layers(*middle) -> Graph:
    return chain(
        node("Input", "features", field="features", shape=(4,)),
        *middle,
        node("Linear", "head", out_features=3),
        node("Output", "logits"),
    )


@pytest.mark.row("N16")
def test_that_a_healthy_model_learns_one_batch_and_has_no_finding(tmp_path):
    report = examine(iris_graph(), tmp_path)
    assert codes(report) == set()
    assert report.curves[0].losses[-1] < report.curves[0].losses[0] / 2
    assert report.curves[0].expected == pytest.approx(1.0986, abs=1e-3)
    assert report.samples_per_s > 0


@pytest.mark.row("N15")
@pytest.mark.parametrize("cutting", ["ReLU", "relu", "clamp"])
def test_that_dead_units_are_found_at_their_node(cutting, tmp_path):
    hidden = replace(node("Linear", "hidden", out_features=8), init=DEAD)
    params = {"min": 0.0} if cutting == "clamp" else {}
    report = examine(layers(hidden, node(cutting, "act", **params)), tmp_path)
    found = next(rule for rule in report.rules if rule.rule == "dead_relu").problems[0]
    assert (found.code, found.node) == ("H001", "act")
    assert found.params["silent"] == found.params["total"] == 8


@pytest.mark.row("N15")
def test_that_dead_units_are_found_in_a_function_that_own_code_calls(tmp_path):
    graph = replace(layers(node("code.own.Rectified", "own")), code={"own.py": RECTIFIED})
    set_trust(graph.code, trusted=True)
    report = examine(graph, tmp_path)
    found = next(rule for rule in report.rules if rule.rule == "dead_relu").problems[0]
    assert (found.code, found.node) == ("H001", "own")


@pytest.mark.row("N15")
def test_that_units_that_a_norm_keeps_alive_are_not_told_for_dead(tmp_path):
    hidden = replace(node("Linear", "hidden", out_features=8), init=DEAD)
    report = examine(layers(hidden, node("BatchNorm1d", "norm"), node("ReLU", "act")), tmp_path)
    assert codes(report) == set()


def test_that_a_step_that_fails_is_told_at_its_node(tmp_path):
    data = replace(NORMAL, batch_size=1)
    with pytest.raises(DiagnosticError) as caught:
        examine(iris_graph(node("BatchNorm1d", "norm")), tmp_path, data=data)
    problem = caught.value.problems[0]
    assert (problem.code, problem.node) == ("H015", "norm")
    assert "more than 1 value" in problem.detail


def test_that_a_relu_that_layers_of_several_widths_share_is_examined(tmp_path):
    again = replace(node("ReLU", "again"), shares="act")
    wide, narrow = (node("Linear", name, out_features=n) for name, n in (("a", 8), ("b", 5)))
    report = examine(layers(wide, node("ReLU", "act"), narrow, again), tmp_path)
    assert codes(report) == set()


@pytest.mark.row("N15")
def test_that_a_wrong_learning_rate_is_found(tmp_path):
    high = examine(iris_graph(), tmp_path, optimizer=Choice(type="SGD", params={"lr": 100.0}))
    low = examine(iris_graph(), tmp_path, optimizer=Choice(type="SGD", params={"lr": 1e-9}))
    assert {"H004", "H014"} <= codes(high)
    assert {"H005", "H008"} <= codes(low)


@pytest.mark.row("N15")
def test_that_a_gradient_that_vanishes_is_found_in_the_first_layer(tmp_path):
    deep = [
        part
        for at in range(14)
        for part in (node("Linear", f"layer{at}", out_features=8), node("Sigmoid", f"act{at}"))
    ]
    report = examine(layers(*deep), tmp_path)
    found = next(rule for rule in report.rules if rule.rule == "gradient_flow").problems
    assert "layer0" in {problem.node for problem in found}


@pytest.mark.row("N15")
def test_that_a_gradient_that_explodes_is_found(tmp_path):
    term = LossTerm(loss=Choice(type="CrossEntropyLoss"), inputs=CROSS_ENTROPY.inputs, weight=1e6)
    assert "H003" in codes(examine(iris_graph(), tmp_path, losses=(term,)))


@pytest.mark.row("N15")
def test_that_classes_of_very_different_sizes_are_found(tmp_path):
    split = SplitSpec(train=0.08, validation=0.0, test=0.92, seed=26)  # 6, 1 and 5
    data = DataSpec(source=NORMAL.source, split=split)
    assert "H010" in codes(examine(iris_graph(), tmp_path, data=data))
    balanced = replace(data, sampler="balanced")
    assert "H010" not in codes(examine(iris_graph(), tmp_path, data=balanced))


@pytest.mark.row("N15")
def test_that_parameters_that_the_loss_does_not_read_are_found(tmp_path):
    graph = layers()
    beside = node("Linear", "beside", out_features=2)
    extra = node("Output", "extra")
    nodes = graph.nodes | {"beside": beside, "extra": extra}
    edges = (
        *graph.edges,
        Edge(source="features", source_port="output", target="beside", target_port="input"),
        Edge(source="beside", source_port="output", target="extra", target_port="input"),
    )
    report = examine(Graph(nodes=nodes, edges=edges), tmp_path)
    found = next(rule for rule in report.rules if rule.rule == "unused_parameter").problems
    assert [problem.node for problem in found] == ["beside"]


@pytest.mark.row("N15", "N16")
def test_that_samples_that_leak_into_one_another_are_found(tmp_path):
    report = examine(layers(node("Softmax", "soft", dim=0)), tmp_path)
    assert "H011" in codes(report)
    assert "H011" not in codes(examine(layers(node("Softmax", "soft", dim=1)), tmp_path))


@pytest.mark.row("N15")
def test_that_data_that_is_not_normalised_begins_too_sure(tmp_path):
    big = Initial(type="normal_", params={"mean": 0.0, "std": 9.0})
    graph = layers()
    nodes = graph.nodes | {"head": replace(graph.nodes["head"], init={"weight": big})}
    report = examine(replace(graph, nodes=nodes), tmp_path)
    assert "H007" in codes(report)


def test_that_a_checkpoint_of_a_run_is_examined(tmp_path):
    run = make_run(tmp_path, data=NORMAL, epochs=1)
    train(run)
    report = check_up_run(run)
    looked_at = {rule.rule for rule in report.rules}
    assert {"gradient_flow", "dead_relu"} <= looked_at
    assert not looked_at & {"initial_loss", "overfitting"}  # those of the beginning
    assert not codes(report) & {"H007", "H008"}


LESSONS = ("overfitting", "update_ratio", "gradient_flow", "unused_parameter")


def by_phase(report: CheckUpReport) -> dict[str, list[tuple[str, str]]]:
    """Return the findings of each rule that judges phases, with the phases that they are of."""
    return {
        rule.rule: [(found.code, str(found.params["of_phase"])) for found in rule.problems]
        for rule in report.rules
        if rule.rule in LESSONS and rule.problems
    }


@pytest.mark.row("N15", "N16", "S171")
def test_that_each_phase_learns_one_batch_with_its_own_optimizer_and_loss(tmp_path):
    report = check_up(gan_graph(), gan_spec(), tmp_path)
    assert by_phase(report) == {}
    assert [curve.name for curve in report.curves] == ["discriminator", "generator"]
    one, two = (curve.losses for curve in report.curves)
    assert one[0] != two[0]
    assert min(one[-5:]) < 0.7 * one[0]
    assert min(two[-5:]) < 0.7 * two[0]
    assert "initial_loss" in report.nothing  # nobody knows what guessing would cost


@pytest.mark.row("N15")
def test_that_what_is_wrong_with_a_phase_is_told_at_it(tmp_path):
    spec = gan_spec()
    idle = replace(spec.phases[0], optimizer=Choice(type="SGD", params={"lr": 1e-9}))
    report = check_up(gan_graph(), replace(spec, phases=(idle,)), tmp_path)
    found = [one for rule in report.rules for one in rule.problems if one.code in ("H005", "H008")]
    assert {one.field for one in found} == {"phases.0.optimizer.lr"}
    assert {one.params["of_phase"] for one in found} == {"generator"}
    assert sentence(found[-1]).startswith("Phase “generator”: A step changes the weights by only")
    fixes = propose_repairs(gan_graph(), replace(spec, phases=(idle,)), tmp_path, found)
    assert all(set(fix.settings) <= RATE_AND_KIND for each in fixes for fix in each)
    assert {"phases.0.optimizer.lr"} in [set(fix.settings) for each in fixes for fix in each]


RATE_AND_KIND = {"phases.0.optimizer", "phases.0.optimizer.lr", "data.normalization"}


@pytest.mark.row("N15")
def test_that_optimizers_that_work_together_are_judged_each_by_itself(tmp_path):
    muon = PhaseSpec(
        name="matrices",
        parameters="matrices",
        optimizer=Choice(type="Muon", params={"lr": 1e-12, "weight_decay": 0.0}),
    )
    report = examine(iris_graph(), tmp_path, phases=(muon,), phase=PhaseRule(name="rest"))
    assert [curve.name for curve in report.curves] == [""]
    assert by_phase(report)["update_ratio"] == [("H005", "matrices")]


@pytest.mark.row("N15")
def test_that_the_head_first_and_then_all_are_two_lessons_from_the_same_start(tmp_path):
    then = PhaseSpec(name="all", start=1, optimizer=Choice(type="Adam", params={"lr": 0.01}))
    phase = PhaseRule(name="head", match="head", end=1)
    report = examine(iris_graph(), tmp_path, phase=phase, phases=(then,), epochs=2)
    assert [curve.name for curve in report.curves] == ["head", "all"]
    assert report.curves[0].losses[0] == report.curves[1].losses[0]
    assert report.curves[1].expected == pytest.approx(1.0986, abs=1e-3)


@pytest.mark.row("N15")
def test_that_parameters_that_no_phase_trains_are_told(tmp_path):
    report = examine(iris_graph(), tmp_path, phase=PhaseRule(name="head", match="head"))
    found = [one for rule in report.rules for one in rule.problems if one.code == "R569"]
    assert [(one.node, one.params["count"]) for one in found] == [("hidden", 2)]
    assert sentence(found[0]).startswith("No phase trains 2 parameters (hidden.weight, ")


def test_that_a_checkpoint_of_a_run_with_phases_is_examined(tmp_path):
    run = RunFolder.create(tmp_path, gan_graph(), gan_spec(epochs=1))
    train(run)
    report = check_up_run(run)
    assert [curve.name for curve in report.curves] == ["discriminator", "generator"]
    assert {"initial_loss", "overfitting"} <= set(report.nothing)


@pytest.mark.row("N15")
def test_that_a_model_that_draws_random_numbers_is_not_told_to_mix_samples(tmp_path):
    noise = [node("randn_like", "noise"), node("mul", "scaled", other=5.0)]
    report = examine(layers(*noise), tmp_path)
    assert "H011" not in codes(report)
    assert "mixing" in report.nothing
