"""Specifications as documents: there and back, and bad ones refused with their place."""

import contextlib
import json
import math
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.diagnostics import DiagnosticError, sentence
from engine.spec.codec import FORMAT, from_document, to_document
from engine.spec.fields import field_names, set_text, set_value
from engine.spec.run import Choice, DataSpec, LossTerm, RunSpec

FULL = RunSpec(
    data=DataSpec(source=Choice(type="spiral", params={"noise": 0.5})),
    losses=(LossTerm(loss=Choice(type="MSELoss"), inputs={"input": "model.out"}, weight=0.5),),
    optimizer=Choice(type="Adam", params={"betas": (0.8, 0.9)}),
    scheduler=Choice(type="MultiStepLR", params={"milestones": (3, 6)}),
    metrics=("mae", "r2"),
)


def through_json(spec: RunSpec) -> RunSpec:
    return from_document(json.loads(json.dumps(to_document(spec))))


@pytest.mark.parametrize("spec", [RunSpec(), FULL])
def test_that_a_specification_comes_back_from_its_document(spec):
    assert through_json(spec) == spec


@given(
    st.lists(st.tuples(st.sampled_from(field_names(FULL)), st.text("0123456789.,-e", max_size=6)))
)
def test_that_any_specification_that_can_be_set_comes_back(changes):
    spec = FULL
    for name, text in changes:
        try:
            spec = set_text(spec, name, text)
        except DiagnosticError:
            continue
    assert through_json(spec) == spec


def test_that_data_stands_apart_and_missing_fields_have_their_defaults():
    document = to_document(FULL)
    assert set(document) == {"format", "data", "run"}
    assert "data" not in document["run"]
    assert from_document({}) == RunSpec()
    assert from_document({"run": {"epochs": 3}}) == set_value(RunSpec(), "epochs", 3)


def test_that_a_split_without_groups_is_written_as_ever():
    assert not {"group_equal", "stratified"} & {*to_document(RunSpec())["data"]["split"]}
    grouped = set_value(RunSpec(), "data.split.group_equal", value=True)
    assert to_document(grouped)["data"]["split"]["group_equal"] is True
    assert through_json(grouped) == grouped


def deep(levels: int) -> dict[str, Any]:
    document: dict[str, Any] = {}
    for _ in range(levels):
        document = {"a": document}
    return document


@pytest.mark.fault("B07")
@pytest.mark.parametrize(
    ("document", "code", "place"),
    [
        (None, "R001", "$"),
        ([], "R001", "$"),
        ("text", "R001", "$"),
        ({"run": []}, "R001", "$.run"),
        ({"data": 3}, "R001", "$.data"),
        ({"run": {"epochs": "three"}}, "R001", "$.run.epochs"),
        ({"run": {"epochs": 2.5}}, "R001", "$.run.epochs"),
        ({"run": {"epochs": 10**5000}}, "R001", "$.run.epochs"),
        ({"run": {"clip": {"limit": math.nan}}}, "R001", "$.run.clip.limit"),
        ({"run": {"optimizer": {"type": "Adam", "params": {"lr": math.inf}}}}, "R001",
         "$.run.optimizer.params.lr"),
        ({"run": {"optimizer": {"type": "Adam", "params": {"lr": {"a": 1}}}}}, "R001",
         "$.run.optimizer.params[...]"),
        ({"run": {"optimizer": {"type": 5}}}, "R001", "$.run.optimizer.type"),
        ({"run": {"optimizer": {}}}, "R001", "$.run.optimizer"),
        ({"run": {"losses": [{"weight": 1.0}]}}, "R001", "$.run.losses[0]"),
        ({"run": {"mode": "magic"}}, "R001", "$.run.mode"),
        ({"data": {"split": {"train": None}}}, "R001", "$.data.split.train"),
        ({"run": {"epoch": 3}}, "R004", "$.run.epoch"),
        ({"run": {"zzz": 3}}, "R002", "$.run.zzz"),
        ({"run": {"params": {}}}, "R002", "$.run.params"),
        ({"run": {"data": {}}}, "R002", "$.run.data"),
        ({"run": {"losses": [{"loss": {"type": "MSELoss"}, "wait": 1}]}}, "R004",
         "$.run.losses[0].wait"),
        ({"format": FORMAT + 1}, "R003", None),
        ({"format": 0}, "R001", "$.format"),
        ({"format": "1"}, "R001", "$.format"),
        ({"format": True}, "R001", "$.format"),
        ({"run": deep(100)}, "R001", None),
        ({"run": deep(20_000)}, "R001", None),
    ],
)  # fmt: skip
def test_that_a_bad_document_is_refused_with_its_place(document, code, place):
    with pytest.raises(DiagnosticError) as caught:
        from_document(document)
    problem = caught.value.problems[0]
    assert problem.code == code
    if place:
        assert problem.params["path"] == place
    for language in ("en", "zh_CN"):
        assert "{" not in sentence(problem, language).replace(str(problem.params), "")


def test_that_values_out_of_range_can_be_read_so_that_they_can_be_mended():
    spec = from_document({"data": {"batch_size": -1}, "run": {"optimizer": {"type": "Nothing"}}})
    assert spec.data.batch_size == -1
    assert spec.optimizer.type == "Nothing"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["data", "run", "split", "type", "params", "losses", "loss", "epochs", "x"]
            ),
            inner,
            max_size=4,
        )
    ),
)


@pytest.mark.fault("B03")
@given(JSON)
def test_that_any_document_gives_a_specification_or_a_diagnostic(document):
    with contextlib.suppress(DiagnosticError):
        spec = from_document(document)
        assert through_json(spec) == spec


@pytest.mark.fault("B03")
@given(st.data())
def test_that_a_mutated_document_gives_a_specification_or_a_diagnostic(data):
    text = json.dumps(to_document(FULL))
    place = data.draw(st.integers(0, len(text) - 1))
    letter = data.draw(st.sampled_from('{}[]":,0129eE.-+xn '))
    try:
        document = json.loads(text[:place] + letter + text[place + 1 :])
    except ValueError:
        return
    try:
        spec = from_document(document)
    except DiagnosticError:
        return
    assert msgspec.json.encode(spec)
