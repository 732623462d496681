"""The doctor's rules, each with something that has the illness and something that has not."""

from dataclasses import replace

import pytest

from engine.diagnostics import Severity, sentence
from engine.query.doctor.evidence import Evidence, Units, Weight
from engine.query.doctor.rules import (
    RULES,
    dead_relu,
    gradient_flow,
    imbalance,
    initial_loss,
    leakage,
    mixing,
    overfitting,
    unused_parameter,
    update_ratio,
)

HEALTHY = Evidence(
    losses=(1.1, 0.8, 0.3, 0.1),
    expected=1.1,
    units=(Units(module="act", silent=1, total=16),),
    weights=(
        Weight(name="first.weight", norm=2.0, gradient=0.1, change=0.002),
        Weight(name="last.weight", norm=1.0, gradient=0.3, change=0.001),
    ),
    classes=("a", "b"),
    counts=(50, 40),
    shared={("train", "test"): 0},
    is_mixed=False,
)


def weight(**changes) -> Evidence:
    return replace(HEALTHY, weights=(HEALTHY.weights[1], replace(HEALTHY.weights[0], **changes)))


def test_that_who_is_healthy_is_left_alone():
    assert {name: rule(HEALTHY) for name, rule in RULES.items()} == dict.fromkeys(RULES, ())


@pytest.mark.row("N15")
@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_that_a_rule_that_has_nothing_to_judge_by_says_nothing(rule):
    assert rule(Evidence()) is None


@pytest.mark.row("N15", "N16")
@pytest.mark.parametrize(
    ("rule", "ill", "code"),
    [
        (dead_relu, replace(HEALTHY, units=(Units(module="act", silent=9, total=16),)), "H001"),
        (gradient_flow, weight(gradient=1e-9), "H002"),
        (gradient_flow, weight(gradient=0.0), "H002"),
        (gradient_flow, weight(name="rnn.weight_ih_l0", gradient=1e-9), "H002"),
        (gradient_flow, weight(gradient=1e5), "H003"),
        (gradient_flow, weight(gradient=float("nan")), "H013"),
        (update_ratio, weight(change=5.0), "H004"),
        (
            update_ratio,
            replace(weight(change=1e-9), weights=weight(change=1e-9).weights[1:]),
            "H005",
        ),
        (unused_parameter, weight(gradient=None), "H006"),
        (initial_loss, replace(HEALTHY, losses=(9.0, 1.0)), "H007"),
        (initial_loss, replace(HEALTHY, losses=(float("nan"),), expected=None), "H012"),
        (overfitting, replace(HEALTHY, losses=(1.1, 1.2, 1.0, 1.1)), "H008"),
        (overfitting, replace(HEALTHY, losses=(1.1, 1.3, 9.0)), "H008"),
        (overfitting, replace(HEALTHY, losses=(1.1, *[9.0] * 5)), "H014"),
        (overfitting, replace(HEALTHY, losses=(1.1, float("nan"))), "H014"),
        (leakage, replace(HEALTHY, shared={("train", "test"): 3}), "H009"),
        (imbalance, replace(HEALTHY, counts=(50, 10)), "H010"),
        (imbalance, replace(HEALTHY, counts=(50, 0)), "H010"),
        (mixing, replace(HEALTHY, is_mixed=True), "H011"),
    ],
)
def test_that_an_illness_is_found(rule, ill, code):
    assert [finding.code for finding in rule(ill)] == [code]


@pytest.mark.row("N15")
@pytest.mark.parametrize(
    ("gradient", "code", "named"),
    [(1e-9, "H002", "a.weight"), (1e5, "H003", "a.weight"), (float("nan"), "H013", "c.weight")],
)
def test_that_many_layers_with_one_illness_are_one_finding_that_counts_them(gradient, code, named):
    many = [replace(HEALTHY.weights[0], name=f"{n}.weight", gradient=gradient) for n in "abc"]
    (found,) = gradient_flow(replace(HEALTHY, weights=(*many, HEALTHY.weights[1])))
    assert (found.code, found.params["name"], found.params["count"]) == (code, named, 3)
    assert "at 3 weights" in sentence(found)


@pytest.mark.row("N15")
def test_that_no_rate_is_blamed_for_a_gradient_that_is_not_finite():
    ill = replace(weight(gradient=float("nan")), losses=(1.1, float("nan")))
    assert overfitting(ill) is None


@pytest.mark.row("N15")
def test_that_one_cause_is_told_once():
    for gradient in (None, 0.0):
        ill = weight(gradient=gradient)
        assert len(gradient_flow(ill) + unused_parameter(ill)) == 1
        still = replace(ill, weights=(replace(ill.weights[1], change=0.0),))
        assert update_ratio(still) is None  # it is not the learning rate


def test_that_a_trained_model_is_not_blamed_for_its_beginning():
    trained = replace(HEALTHY, is_begun=True, losses=(9.0, 9.0))
    assert initial_loss(trained) is None
    assert overfitting(trained) is None


def test_that_it_is_told_where_not_all_samples_were_compared():
    few = leakage(replace(HEALTHY, compared=10, samples=10_000))
    assert [(each.code, each.severity) for each in few] == [("D470", Severity.HINT)]
    assert leakage(replace(HEALTHY, compared=10, samples=10)) == ()
    both = leakage(replace(HEALTHY, compared=9, samples=10, shared={("train", "test"): 3}))
    assert [each.code for each in both] == ["H009", "D470"]
