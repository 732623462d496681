"""What a run starts with, and loss terms that follow the outputs."""

import subprocess

import msgspec
import pytest

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup
from engine.graph.model import Graph
from engine.spec.defaults import (
    auto_metrics,
    bind_losses,
    default_losses,
    default_spec,
    fit_targets,
)
from engine.spec.fields import set_text
from engine.spec.run import Choice, DataSpec, LossTerm, RunSpec
from engine.spec.series import best_mode, chosen_metrics, metric_task, monitored_series


def linear(outputs: int) -> tuple[str, dict, tuple, int]:
    return ("Linear", {"out_features": outputs}, ("N", outputs), 8)


@pytest.mark.parametrize(
    ("task", "outputs", "loss", "target"),
    [
        ("classification", 3, "CrossEntropyLoss", "label"),
        ("binary", 2, "CrossEntropyLoss", "label"),
        ("binary", 1, "BCEWithLogitsLoss", "target"),
        ("regression", 1, "MSELoss", "label"),
    ],
)
def test_that_the_loss_fits_the_task(  # noqa: PLR0917 - fixtures and a case
    chain, info, task, outputs, loss, target
):
    info = msgspec.structs.replace(info, task=task)
    term = default_spec(info, *chain(linear(outputs))).losses[0]
    assert term.loss == Choice(type=loss)
    assert term.inputs == {"input": "model.logits", "target": f"data.{target}"}


def test_that_the_choice_of_data_is_kept(chain, info):
    data = DataSpec(source=Choice(type="iris"), batch_size=7)
    assert default_spec(info, *chain(linear(3)), data).data == data
    assert default_spec(info, *chain(linear(3))).data.source.type == "iris"


def test_that_a_model_without_output_has_no_loss_until_it_gets_one(chain, info):
    assert default_losses(info, Graph()) == ()
    graph, _ = chain(linear(3))
    spec = default_spec(info, Graph())
    assert spec.losses == ()
    assert bind_losses(spec, Graph(), graph) is spec
    bound = bind_losses(spec, Graph(), graph, info)
    assert bound.losses[0].inputs["input"] == "model.logits"
    assert bind_losses(spec, graph, graph, info) is spec  # the user removed it


def renamed(graph: Graph, node_id: str, name: str) -> Graph:
    node = msgspec.structs.replace(graph.nodes[node_id], name=name)
    return Graph(nodes={**graph.nodes, node_id: node}, edges=graph.edges)


def test_that_terms_follow_a_renamed_output_and_leave_one_that_is_gone(chain, info):
    graph, analysis = chain(linear(3))
    spec = default_spec(info, graph, analysis)
    other = renamed(graph, "logits", "scores")
    assert bind_losses(spec, graph, other).losses[0].inputs["input"] == "model.scores"
    gone = Graph(nodes={key: node for key, node in graph.nodes.items() if key != "logits"})
    assert bind_losses(spec, graph, gone) is spec
    fresh, _ = chain(linear(3), name="answer")
    assert bind_losses(spec, gone, fresh).losses[0].inputs["input"] == "model.answer"
    assert bind_losses(spec, graph, graph) == spec


def test_that_two_outputs_can_change_names(chain, info):
    graph, _ = chain(linear(3))
    second = msgspec.structs.replace(graph.nodes["logits"], id="other", name="other")
    old = Graph(nodes={**graph.nodes, "other": second}, edges=graph.edges)
    new = renamed(renamed(old, "logits", "other"), "other", "logits")
    terms = tuple(
        LossTerm(loss=Choice(type="MSELoss"), inputs={"input": f"model.{name}"})
        for name in ("logits", "other")
    )
    bound = bind_losses(RunSpec(losses=terms), old, new).losses
    assert [term.inputs["input"] for term in bound] == ["model.other", "model.logits"]


def test_that_automatic_metrics_are_in_the_catalogue_for_their_task():
    for task in ("classification", "binary", "segmentation", "regression"):
        assert auto_metrics(task)
        for key in auto_metrics(task):
            entry = catalog().entry(EntryGroup.METRIC, key)
            assert entry is not None
            assert task in entry.tasks


@pytest.mark.parametrize(
    ("loss", "target", "task"),
    [
        ("CrossEntropyLoss", "label", "classification"),
        ("BCEWithLogitsLoss", "target", "binary"),
        ("MSELoss", "target", "regression"),
    ],
)
def test_that_the_metrics_fit_what_the_loss_compares(info, loss, target, task):
    term = LossTerm(loss=Choice(type=loss), inputs={"target": f"data.{target}"})
    assert metric_task(RunSpec(losses=(term,)), info) == task
    assert metric_task(RunSpec(), info) == info.task


def test_that_the_monitored_series_are_those_of_the_parts_with_samples(info):
    term = LossTerm(loss=Choice(type="CrossEntropyLoss"), inputs={"target": "data.label"})
    spec = RunSpec(losses=(term,), metrics=("auto", "f1", "accuracy"))
    assert chosen_metrics(spec.metrics, "classification") == ("accuracy", "f1")
    assert "validation.f1" in monitored_series(spec, info)
    assert "train.loss" in monitored_series(spec, info)
    assert "test.loss" not in monitored_series(spec, info)


@pytest.mark.parametrize(
    ("series", "mode"),
    [
        ("validation.loss", "min"),
        ("train.rmse", "min"),
        ("validation.perplexity", "min"),
        ("validation.iou", "max"),
        ("validation.iou.loss", "max"),
        ("train.accuracy", "max"),
    ],
)
def test_that_the_best_of_a_series_is_its_least_or_greatest_value(series, mode):
    assert best_mode(series) == mode


@pytest.mark.real
@pytest.mark.parametrize("module", ["validate", "fields", "defaults", "codec", "series"])
def test_that_specifications_load_without_torch(python, module):
    code = f"import sys, engine.spec.{module}; print(*sys.modules)"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    assert not {"torch", "numpy", "sklearn"} & set(done.stdout.split())


def test_that_another_loss_takes_the_target_of_the_kind_it_wants(info, chain):
    graph, analysis = chain(("Linear", {"out_features": 1}, ("N", 1), 8))
    spec = default_spec(info, graph, analysis)
    assert spec.losses[0].inputs["target"] == "data.label"
    binary = fit_targets(set_text(spec, "losses.0.loss", "BCEWithLogitsLoss"), info, graph)
    assert binary.losses[0].inputs == {"input": "model.logits", "target": "data.target"}
    again = fit_targets(set_text(binary, "losses.0.loss", "CrossEntropyLoss"), info, graph)
    assert again.losses == spec.losses


def test_that_a_target_stays_where_the_data_has_no_other(info, chain):
    graph, analysis = chain(("Linear", {"out_features": 1}, ("N", 1), 8))
    only_classes = msgspec.structs.replace(info, fields=info.fields[:2])
    spec = set_text(default_spec(only_classes, graph, analysis), "losses.0.loss", "MSELoss")
    assert fit_targets(spec, only_classes, graph) == spec


def test_that_a_loss_that_is_chosen_takes_the_output_and_the_target(info, chain):
    graph, _ = chain(("Linear", {"out_features": 3}, ("N", 3), 8))
    bare = RunSpec(data=DataSpec(source=Choice(type=info.source)))
    spec = fit_targets(set_text(bare, "losses.0.loss", "CrossEntropyLoss"), info, graph)
    assert spec.losses[0].inputs == {"input": "model.logits", "target": "data.label"}


def test_that_a_loss_with_other_names_looks_at_the_same_output(info, chain):
    graph, analysis = chain(("Linear", {"out_features": 1}, ("N", 1), 8))
    spec = set_text(default_spec(info, graph, analysis), "losses.0.loss", "PoissonNLLLoss")
    assert spec.losses[0].inputs == {"log_input": "model.logits", "target": "data.label"}
