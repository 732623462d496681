"""Rows of the capability table about losses: what they compute, offer and are checked for."""

import math

import msgspec
import pytest
import torch
from torch import Tensor
from torch.nn import functional

from engine import api
from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup, Value
from engine.diagnostics import Diagnostic, sentence
from engine.graph.model import Node
from engine.spec.run import Choice, DataSpec, LossTerm
from engine.train.losses import LossTerms
from tests.tiny_run import chain, iris_spec, node

SCORES = torch.tensor([[2.0, -1.0, 0.5], [0.1, 0.2, -3.0], [1.0, 1.0, 1.0], [-2.0, 4.0, 0.0]])
CLASSES = torch.tensor([0, 2, 1, 1])
NUMBERS = torch.tensor([[1.0], [-2.0], [0.5], [3.0]])
GUESSES = torch.tensor([[0.5], [0.0], [2.0], [3.5]])
YES_NO = torch.tensor([[1.0], [0.0], [0.0], [1.0]])


def loss(key: str, given: Tensor, target: Tensor, **params: Value) -> Tensor:
    """Return what a run computes for one term."""
    term = LossTerm(
        loss=Choice(type=key, params=params), inputs={"input": "model.out", "target": "data.y"}
    )
    terms = LossTerms([term], ["out"], torch.device("cpu"))
    return terms(given, {"y": target})[0]


def params_of(key: str) -> dict[str, tuple[str, ...]]:
    """Return the parameters of a loss in its form, with their choices."""
    entry = catalog().entry(EntryGroup.LOSS, key)
    assert entry is not None
    return {param.name: param.choices for param in entry.params}


def problems(
    key: str, *layers: Node, data: str = "iris", target: str = "label"
) -> tuple[Diagnostic, ...]:
    """Return what is found before a run of a model with a loss on data."""
    width = {"iris": 4, "diabetes": 10, "breast_cancer": 30}[data]
    graph = chain(
        node("Input", "features", field="features", shape=(width,)), *layers, node("Output", "out")
    )
    term = LossTerm(
        loss=Choice(type=key), inputs={"input": "model.out", "target": f"data.{target}"}
    )
    spec = iris_spec(
        data=DataSpec(source=Choice(type=data)), losses=(term,), metrics=(), mode="thread"
    )
    return api.check(graph, spec).problems


@pytest.mark.row("S152", "S153")
@pytest.mark.parametrize(
    ("key", "expected"),
    [("MSELoss", [0.25, 4.0, 2.25, 0.25]), ("L1Loss", [0.5, 2.0, 1.5, 0.5])],
)
def test_that_squared_and_absolute_errors_are_taken_as_mean_or_sum(
    key: str, expected: list[float]
) -> None:
    assert {"mean", "sum"} <= set(params_of(key)["reduction"])
    assert loss(key, GUESSES, NUMBERS).item() == pytest.approx(sum(expected) / 4)
    assert loss(key, GUESSES, NUMBERS, reduction="sum").item() == pytest.approx(sum(expected))


@pytest.mark.row("S154")
def test_that_cross_entropy_takes_raw_scores_weights_and_smoothing() -> None:
    assert {"weight", "label_smoothing", "ignore_index", "reduction"} <= params_of(
        "CrossEntropyLoss"
    ).keys()
    logs = SCORES.log_softmax(1)
    picked = -logs[torch.arange(4), CLASSES]
    assert loss("CrossEntropyLoss", SCORES, CLASSES).item() == pytest.approx(picked.mean().item())
    by_class = torch.tensor([1.0, 2.0, 5.0])[CLASSES]
    weighted = (picked * by_class).sum() / by_class.sum()
    assert loss(
        "CrossEntropyLoss", SCORES, CLASSES, weight=(1.0, 2.0, 5.0)
    ).item() == pytest.approx(weighted.item())
    smooth = 0.9 * picked.mean() + 0.1 * -logs.mean()
    assert loss("CrossEntropyLoss", SCORES, CLASSES, label_smoothing=0.1).item() == pytest.approx(
        smooth.item(), rel=1e-5
    )


@pytest.mark.row("S154")
@pytest.mark.fault("B09")
def test_that_decimal_targets_are_found_before_the_run_with_shapes_and_layer() -> None:
    found = problems(
        "CrossEntropyLoss", node("Linear", "head", out_features=3), data="diabetes", target="target"
    )
    problem = next(item for item in found if item.code == "R034")
    assert (problem.severity, problem.node) == ("error", "head")
    for language in ("en", "zh_CN"):
        told = sentence(problem, language)
        for word in ("head", "N × 3", "N × 1", "target", "float32"):
            assert word in told


@pytest.mark.row("S154")
def test_that_too_few_outputs_are_found_before_the_run_with_both_numbers_and_the_layer() -> None:
    (problem,) = problems("CrossEntropyLoss", node("Linear", "head", out_features=2))
    assert (problem.severity, problem.node, problem.field) == ("error", "head", "out_features")
    for language in ("en", "zh_CN"):
        told = sentence(problem, language)
        assert "3" in told
        assert "2" in told
        assert "head" in told
    assert problems("CrossEntropyLoss", node("Linear", "head", out_features=3)) == ()


@pytest.mark.row("S155")
def test_that_nll_of_log_softmax_is_cross_entropy_and_warns_without_it() -> None:
    logs = SCORES.log_softmax(1)
    whole = loss("CrossEntropyLoss", SCORES, CLASSES)
    assert loss("NLLLoss", logs, CLASSES).item() == pytest.approx(whole.item())
    head = node("Linear", "head", out_features=3)
    (problem,) = problems("NLLLoss", head)
    assert (problem.severity, problem.node) == ("warning", "head")
    assert "LogSoftmax" in sentence(problem)
    assert problems("NLLLoss", head, node("LogSoftmax", "logs", dim=1)) == ()


@pytest.mark.row("S156")
def test_that_both_binary_losses_agree_and_each_warns_about_the_wrong_scores() -> None:
    from_scores = loss("BCEWithLogitsLoss", GUESSES, YES_NO)
    assert loss("BCELoss", GUESSES.sigmoid(), YES_NO).item() == pytest.approx(from_scores.item())
    expected = functional.softplus(-GUESSES[YES_NO == 1]).sum()
    expected += functional.softplus(GUESSES[YES_NO == 0]).sum()
    assert from_scores.item() == pytest.approx(expected.item() / 4)
    assert "pos_weight" in params_of("BCEWithLogitsLoss")
    head, squash = node("Linear", "head", out_features=1), node("Sigmoid", "squash")
    target = {"data": "breast_cancer", "target": "target"}
    codes = {
        (key, len(layers)): [problem.code for problem in problems(key, *layers, **target)]
        for key in ("BCELoss", "BCEWithLogitsLoss")
        for layers in ((head,), (head, squash))
    }
    assert codes == {
        ("BCELoss", 1): ["R045"],
        ("BCELoss", 2): [],
        ("BCEWithLogitsLoss", 1): [],
        ("BCEWithLogitsLoss", 2): ["R044"],
    }


def test_that_a_device_that_is_not_here_is_found_before_the_run() -> None:
    graph = chain(
        node("Input", "features", field="features", shape=(4,)),
        node("Linear", "head", out_features=3),
        node("Output", "logits"),
    )
    spec = iris_spec(device="cuda:99")
    (problem,) = api.check(graph, spec).problems
    assert (problem.code, problem.severity, problem.field) == ("R111", "error", "device")
    assert api.check(graph, msgspec.structs.replace(spec, device="auto")).problems == ()


@pytest.mark.row("S100", "S189")
def test_that_smoothed_labels_are_a_setting_of_cross_entropy() -> None:
    assert "label_smoothing" in params_of("CrossEntropyLoss")
    share, count = 0.1, SCORES.shape[1]
    target = functional.one_hot(CLASSES, count) * (1 - share) + share / count
    by_hand = -(target * functional.log_softmax(SCORES, dim=1)).sum(dim=1).mean()
    found = loss("CrossEntropyLoss", SCORES, CLASSES, label_smoothing=share)
    torch.testing.assert_close(found, by_hand)


def term_of(key: str, *values: Tensor, **params: Value) -> float:
    """Return what a run computes for a loss of several outputs, and of a target where it has one.
    The ports are in the order of the catalogue.
    """
    names = ports(key)
    outputs = [name for name in names if name != "target"]
    inputs = {name: f"model.{name}" for name in outputs}
    batch = {"y": values[-1]} if "target" in names else {}
    term = LossTerm(
        loss=Choice(type=key, params=params),
        inputs=inputs | ({"target": "data.y"} if batch else {}),
    )
    given = values[: len(outputs)]
    terms = LossTerms([term], outputs, torch.device("cpu"))
    return terms(given if len(given) > 1 else given[0], batch)[0].item()


def ports(key: str) -> list[str]:
    entry = catalog().entry(EntryGroup.LOSS, key)
    assert entry is not None
    return [port.name for port in entry.inputs]


@pytest.mark.row("S189")
def test_that_other_ways_to_smooth_labels_are_reached_as_the_help_tells() -> None:
    share, count = 0.1, SCORES.shape[1]
    logs, right = SCORES.log_softmax(1), functional.one_hot(CLASSES, count)
    others = right * (1 - share) + (1 - right) * share / (count - 1)
    by_hand = -(others * logs).sum(dim=1).mean()
    smoothing = share * count / (count - 1)
    found = loss("CrossEntropyLoss", SCORES, CLASSES, label_smoothing=smoothing)
    torch.testing.assert_close(found, by_hand)
    divergence = term_of("KLDivLoss", logs, others, reduction="batchmean")
    entropy = -(others * others.log()).sum(dim=1).mean().item()
    assert divergence == pytest.approx(found.item() - entropy, rel=1e-5)


@pytest.mark.row("S157")
def test_that_hinge_embedding_takes_targets_of_one_and_minus_one() -> None:
    distances, signs = torch.tensor([0.3, 2.0, 0.4, 1.5]), torch.tensor([1.0, 1.0, -1.0, -1.0])
    expected = (0.3 + 2.0 + (1 - 0.4) + 0) / 4
    assert term_of("HingeEmbeddingLoss", distances, signs) == pytest.approx(expected)
    wider = (0.3 + 2.0 + (2 - 0.4) + (2 - 1.5)) / 4
    assert term_of("HingeEmbeddingLoss", distances, signs, margin=2.0) == pytest.approx(wider)
    layer = node("Linear", "head", out_features=1)
    found = problems("HingeEmbeddingLoss", layer, data="breast_cancer")
    (problem,) = (item for item in found if item.code == "R071")
    assert problem.severity == "error"
    for language in ("en", "zh_CN"):
        assert "\N{MINUS SIGN}1" in sentence(problem, language)


@pytest.mark.row("S158")
def test_that_margin_ranking_compares_two_inputs() -> None:
    assert ports("MarginRankingLoss") == ["input1", "input2", "target"]
    first, second = torch.tensor([1.0, 0.2, 0.5]), torch.tensor([0.4, 0.9, 0.5])
    signs = torch.tensor([1.0, 1.0, -1.0])
    for margin in (0.0, 0.3):
        expected = (-signs * (first - second) + margin).clamp(min=0).mean().item()
        found = term_of("MarginRankingLoss", first, second, signs, margin=margin)
        assert found == pytest.approx(expected)
    assert term_of("MarginRankingLoss", first, second, signs) == pytest.approx(0.7 / 3)


@pytest.mark.row("S159")
def test_that_a_triplet_has_an_anchor_a_positive_and_a_negative() -> None:
    assert ports("TripletMarginLoss") == ["anchor", "positive", "negative"]
    entry = catalog().entry(EntryGroup.LOSS, "TripletMarginLoss")
    assert entry is not None
    assert (entry.value({}, "margin"), entry.value({}, "p")) == (1.0, 2.0)
    torch.manual_seed(0)
    anchor, positive, negative = torch.randn(3, 100, 128).unbind()
    near = anchor + 0.1 * positive
    for margin, close in ((1.0, positive), (1.0, near), (20.0, near)):
        pulled, pushed = ((anchor - other).norm(dim=1) for other in (close, negative))
        expected = (pulled - pushed + margin).clamp(min=0).mean().item()
        found = term_of("TripletMarginLoss", anchor, close, negative, margin=margin)
        assert found == pytest.approx(expected, rel=1e-5, abs=1e-6)


@pytest.mark.row("S160")
def test_that_kl_divergence_is_the_mean_of_samples_and_wants_log_probabilities() -> None:
    share = torch.tensor([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1]])
    logs = SCORES[:2].log_softmax(1)
    by_hand = sum(
        p * (math.log(p) - q)
        for row, guess in zip(share.tolist(), logs.tolist(), strict=True)
        for p, q in zip(row, guess, strict=True)
    )
    assert "batchmean" in params_of("KLDivLoss")["reduction"]
    found = term_of("KLDivLoss", logs, share, reduction="batchmean")
    assert found == pytest.approx(by_hand / 2, rel=1e-5)
    layers = (node("Linear", "head", out_features=1), node("LogSoftmax", "logs", dim=1))
    raw = problems("KLDivLoss", layers[0], data="diabetes", target="target")
    (problem,) = (item for item in raw if item.code == "R043")
    assert (problem.severity, problem.node) == ("warning", "head")
    for language in ("en", "zh_CN"):
        assert "LogSoftmax" in sentence(problem, language)
    fine = problems("KLDivLoss", *layers, data="diabetes", target="target")
    assert "R043" not in {item.code for item in fine}
