"""Outputs that metrics judge, and what the metrics of each are called."""

import pytest
from msgspec.structs import replace

from engine.graph.model import Graph
from engine.spec.data import DataInfo, FieldInfo
from engine.spec.defaults import bind_losses
from engine.spec.judged import judged_outputs, split_metric
from engine.spec.metric_rule import check_metrics
from engine.spec.run import CheckpointSpec, Choice, LossTerm, RunSpec
from engine.spec.series import best_mode, custom_metric_of, monitored_series
from tests.tiny_run import node

LABEL = FieldInfo(
    name="label", role="target", kind="class", shape=(), dtype="int64", classes=("cat", "dog")
)
CENTER = FieldInfo(name="center", role="target", kind="vector", shape=(2,), dtype="float32")
INFO = DataInfo(source="", samples=4, task="classification", fields=(LABEL, CENTER))


def term(loss: str, output: str, field: str) -> LossTerm:
    inputs = {"input": f"model.{output}", "target": f"data.{field}"}
    return LossTerm(loss=Choice(type=loss), inputs=inputs)


SPEC = RunSpec(
    losses=(
        term("CrossEntropyLoss", "logits", "label"),
        term("MSELoss", "place", "center"),
        term("L1Loss", "place", "center"),
        term("HingeEmbeddingLoss", "distance", "sign"),
        term("MSELoss", "place", "other"),
    ),
    metrics=("auto", "place:rmse"),
)


def test_that_each_output_is_judged_by_each_field_once_and_never_by_a_sign() -> None:
    found = judged_outputs(SPEC)
    assert [(each.name, each.term) for each in found] == [("", 0), ("place", 1), ("place.2", 4)]
    assert [each.chosen_of(SPEC.metrics) for each in found] == [
        ("auto",),
        ("auto", "rmse"),
        ("auto",),
    ]
    assert found[0].chosen_of(("logits:f1", "f1", "place:mae")) == ("f1",)


def test_that_the_series_of_further_outputs_have_their_names() -> None:
    two = replace(SPEC, losses=SPEC.losses[:2])
    each = [f"place:{kind}.{number}" for kind in ("mae", "r2") for number in CENTER.entry_names]
    named = ("accuracy", "place:mae", "place:r2", "place:rmse", *each)
    expected = {f"{part}.{name}" for part in ("train", "validation") for name in ("loss", *named)}
    assert set(monitored_series(two, INFO)) == expected
    assert best_mode("validation.place:rmse") == "min"
    assert custom_metric_of("place:scores.Hits.left") == "place:scores.Hits"
    assert split_metric("iou.cat:black") == ("", "iou.cat:black")


@pytest.mark.parametrize(
    ("metric", "code"), [("there:mae", "R577"), ("place:f1", "R047"), ("place:bleu", "R047")]
)
def test_that_a_metric_of_no_output_or_another_task_is_told(metric: str, code: str) -> None:
    spec = replace(SPEC, losses=SPEC.losses[:2], metrics=(metric,))
    assert [problem.code for problem in check_metrics(spec, INFO, {})] == [code]


def test_that_metrics_follow_an_output_that_is_renamed() -> None:
    nodes = {"a": node("Output", "logits"), "b": node("Output", "place")}
    best = CheckpointSpec(monitor="validation.place:mae")
    spec = replace(SPEC, losses=SPEC.losses[:2], checkpoint=best)
    after = {**nodes, "b": replace(nodes["b"], id="b", name="spot")}
    before = {"a": replace(nodes["a"], id="a"), "b": replace(nodes["b"], id="b")}
    found = bind_losses(spec, Graph(nodes=before), Graph(nodes=after))
    assert found.metrics == ("auto", "spot:rmse")
    assert found.checkpoint.monitor == "validation.spot:mae"
