from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import pytest
import torch
from msgspec.structs import replace
from torch import Tensor

from engine.diagnostics import DiagnosticError
from engine.spec.data import FieldInfo
from engine.spec.run import Choice, LossTerm
from engine.train import metrics
from engine.train.comparison import Comparison
from engine.train.losses import BoundTerm, LossTerms
from engine.train.metrics import EpochMeter, merged_states
from engine.train.ranks.exchange import decode, encode
from engine.train.ranks.world import ALONE, World

reference = pytest.importorskip("sklearn.metrics")

CPU = torch.device("cpu")
LABEL = FieldInfo(
    name="label", role="target", kind="class", shape=(), dtype="int64", classes=("a", "b", "c")
)
TRUTH = FieldInfo(name="target", role="target", kind="scalar", shape=(1,), dtype="float32")


class Two(World):
    """Two processes, of which each has told its state already."""

    size = 2

    def __init__(self, states: list[dict[str, object]]) -> None:
        self._states = states

    def gather(self, value: Any, kind: type) -> list[Any]:
        assert value.keys() == self._states[0].keys()
        return [decode(encode(state), kind) for state in self._states]


def meter_for(
    loss: str, field: FieldInfo, names: Sequence[str] = ("auto",), world: World = ALONE
) -> EpochMeter:
    term = LossTerm(
        loss=Choice(type=loss), inputs={"input": "model.out", "target": f"data.{field.name}"}
    )
    return EpochMeter(names, Comparison(BoundTerm(term, loss, ["out"]), [field]), CPU, world)


def measured(meter: EpochMeter, outputs: Tensor, batch: dict[str, Tensor]) -> dict[str, float]:
    for rows in torch.arange(len(outputs)).split(7):
        meter.observe(outputs[rows], {name: value[rows] for name, value in batch.items()})
    return meter.compute()


def test_that_measures_of_classes_are_those_of_scikit_learn() -> None:
    generator = torch.Generator().manual_seed(0)
    outputs = torch.randn(200, 3, generator=generator)
    label = torch.randint(0, 3, (200,), generator=generator)
    names = ("accuracy", "precision", "recall", "f1", "auroc")
    values = measured(meter_for("CrossEntropyLoss", LABEL, names), outputs, {"label": label})
    guess = outputs.argmax(1)
    wanted = {
        "accuracy": reference.accuracy_score(label, guess),
        "precision": reference.precision_score(label, guess, average="macro"),
        "recall": reference.recall_score(label, guess, average="macro"),
        "f1": reference.f1_score(label, guess, average="macro"),
        "auroc": reference.roc_auc_score(label, outputs.softmax(1), multi_class="ovr"),
    }
    assert values == pytest.approx(wanted, abs=1e-6)


MANY = replace(LABEL, classes=tuple("abcdefg"))


def drawn_classes() -> tuple[Tensor, Tensor]:
    """Return scores of seven classes and labels among which "g" does not occur."""
    generator = torch.Generator().manual_seed(5)
    outputs = torch.randn(150, 7, generator=generator)
    return outputs, torch.randint(0, 6, (150,), generator=generator)


@pytest.mark.row("S212")
def test_that_measures_of_many_classes_are_those_of_scikit_learn() -> None:
    outputs, label = drawn_classes()
    names = ("top_3", "top_5", "weighted_precision", "weighted_f1")
    values = measured(meter_for("CrossEntropyLoss", MANY, names), outputs, {"label": label})
    guess, scores, every = outputs.argmax(1), outputs.numpy(), list(range(7))
    wanted = {
        "top_3": reference.top_k_accuracy_score(label, scores, k=3, labels=every),
        "top_5": reference.top_k_accuracy_score(label, scores, k=5, labels=every),
        "weighted_precision": reference.precision_score(label, guess, average="weighted"),
        "weighted_f1": reference.f1_score(label, guess, average="weighted"),
    }
    assert values == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("measure", ["precision", "recall", "f1"])
def test_that_each_class_has_a_measure_where_it_is_defined(measure: str) -> None:
    outputs, label = drawn_classes()
    outputs[:, 0] = -9.0  # a class that occurs and is never predicted
    asked = meter_for("CrossEntropyLoss", MANY, (f"class_{measure}",))
    values = measured(asked, outputs, {"label": label})
    known = {"precision": reference.precision_score, "recall": reference.recall_score}
    score = known.get(measure, reference.f1_score)
    wanted = score(label, outputs.argmax(1), average=None, labels=list(range(7)), zero_division=0)
    named = {f"{measure}.{name}": value for name, value in zip("abcdefg", wanted, strict=True)}
    if measure == "recall":
        del named["recall.g"]
    assert values == pytest.approx(named, abs=1e-6)


def test_that_several_processes_measure_each_class_like_one() -> None:
    outputs, label = drawn_classes()
    names = ("top_3", "weighted_f1", "class_precision", "class_f1")
    whole = measured(meter_for("CrossEntropyLoss", MANY, names), outputs, {"label": label})
    shares = []
    for rows in torch.arange(150).split(90):
        share = meter_for("CrossEntropyLoss", MANY, names)
        measured(share, outputs[rows], {"label": label[rows]})
        shares.append(share.state_dict())
    assert meter_for("CrossEntropyLoss", MANY, names, world=Two(shares)).compute() == whole


def test_that_the_best_three_of_three_classes_are_no_measure() -> None:
    with pytest.raises(DiagnosticError) as caught:
        meter_for("CrossEntropyLoss", LABEL, ("top_3",))
    assert caught.value.problems[0].code == "R119"


def test_that_logits_are_measured_as_chances_even_when_all_look_like_chances() -> None:
    outputs = torch.tensor([[0.1], [0.2], [-0.1], [-0.3]])
    target = torch.tensor([[1.0], [1.0], [0.0], [0.0]])
    values = measured(meter_for("BCEWithLogitsLoss", TRUTH), outputs, {"target": target})
    assert values == {"accuracy": 1.0}
    inside = measured(meter_for("BCEWithLogitsLoss", TRUTH), outputs[:2], {"target": target[:2]})
    assert inside == {"accuracy": 1.0}


def test_that_measures_of_numbers_are_those_of_scikit_learn() -> None:
    generator = torch.Generator().manual_seed(1)
    outputs = torch.randn(50, 1, generator=generator)
    target = torch.randn(50, 1, generator=generator)
    names = ("mae", "mse", "rmse", "r2")
    values = measured(meter_for("MSELoss", TRUTH, names), outputs, {"target": target})
    wanted = {
        "mae": reference.mean_absolute_error(target, outputs),
        "mse": reference.mean_squared_error(target, outputs),
        "rmse": reference.root_mean_squared_error(target, outputs),
        "r2": reference.r2_score(target, outputs),
    }
    assert values == pytest.approx(wanted, rel=1e-5)


def test_that_each_of_several_numbers_is_measured_beside_their_mean() -> None:
    generator = torch.Generator().manual_seed(1)
    outputs, target = (torch.randn(50, 2, generator=generator) for _ in range(2))
    field = replace(TRUTH, kind="vector", shape=(2,), columns=("price", "area"))
    batch = {"target": target}
    values = measured(meter_for("MSELoss", field, ("auto", "number_rmse")), outputs, batch)
    measures = {
        "mae": reference.mean_absolute_error,
        "rmse": reference.root_mean_squared_error,
        "r2": reference.r2_score,
    }
    wanted = {
        f"{name}.{number}": measure(target[:, at], outputs[:, at])
        for name, measure in measures.items()
        for at, number in enumerate(field.columns)
    }
    means = {name: (values[f"{name}.price"] + values[f"{name}.area"]) / 2 for name in ("mae", "r2")}
    assert values == pytest.approx(wanted | means, rel=1e-5)
    assert measured(
        meter_for("MSELoss", TRUTH), outputs[:, :1], {"target": target[:, :1]}
    ).keys() == {
        "mae",
        "r2",
    }


def test_that_an_error_relative_to_both_sizes_is_that_of_its_definition() -> None:
    generator = torch.Generator().manual_seed(1)
    outputs, target = (torch.randn(50, 1, generator=generator) for _ in range(2))
    values = measured(meter_for("MSELoss", TRUTH, ("smape",)), outputs, {"target": target})
    relative = 2 * (outputs - target).abs() / (outputs.abs() + target.abs())
    assert values == pytest.approx({"smape": float(relative.mean())}, rel=1e-5)


def test_that_a_measure_that_is_not_defined_is_left_out() -> None:
    one = torch.ones(1, 1)
    assert measured(meter_for("MSELoss", TRUTH), one, {"target": one}) == {"mae": 0.0}


def test_that_an_interrupted_epoch_measures_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.train.metrics._BUFFER_ELEMENTS", 20)
    generator = torch.Generator().manual_seed(2)
    outputs = torch.randn(61, 1, generator=generator)
    target = torch.randn(61, 1, generator=generator)
    whole = meter_for("MSELoss", TRUTH, ("mae", "rmse", "r2"))
    wanted = measured(whole, outputs, {"target": target})
    for cut in (1, 7, 25, 60):
        first, second = (meter_for("MSELoss", TRUTH, ("mae", "rmse", "r2")) for _ in range(2))
        batches = list(torch.arange(61).split(7))
        done = -(-cut // 7)
        for rows in batches[:done]:
            first.observe(outputs[rows], {"target": target[rows]})
        second.load_state_dict(first.state_dict())
        for rows in batches[done:]:
            second.observe(outputs[rows], {"target": target[rows]})
        assert second.compute() == wanted


def test_that_an_unknown_measure_is_told() -> None:
    with pytest.raises(DiagnosticError) as caught:
        meter_for("MSELoss", TRUTH, ("accuracy",))
    assert caught.value.problems[0].code == "R119"


def test_that_a_term_without_prediction_and_target_is_not_measured() -> None:
    term = LossTerm(
        loss=Choice(type="TripletMarginLoss"),
        inputs={"anchor": "model.a", "positive": "model.b", "negative": "model.c"},
    )
    names = ["a", "b", "c"]
    comparison = Comparison(BoundTerm(term, "t", names), [])
    outputs = tuple(torch.randn(4, 2) for _ in names)
    meter = EpochMeter(("auto",), comparison, CPU)
    meter.observe(outputs, {})
    assert meter.compute() == {}


@pytest.mark.row("S205")
def test_that_several_terms_add_up_with_their_weights() -> None:
    inputs = {"input": "model.out", "target": "data.target"}
    terms = (
        LossTerm(loss=Choice(type="MSELoss"), inputs=inputs, weight=2.0),
        LossTerm(loss=Choice(type="L1Loss"), inputs=inputs, weight=0.5),
        LossTerm(loss=Choice(type="L1Loss"), inputs=inputs),
    )
    loss = LossTerms(terms, ["out"], CPU)
    outputs, target = torch.zeros(4, 1), torch.full((4, 1), 3.0)
    total, parts = loss(outputs, {"target": target})
    assert float(total) == 2 * 9 + 0.5 * 3 + 3
    assert [float(part) for part in parts] == [18.0, 1.5, 3.0]
    assert loss.part_names == ["loss.MSELoss", "loss.L1Loss.1", "loss.L1Loss.2"]


@pytest.mark.parametrize("binding", ["model.nothing", "elsewhere.out", "out", ""])
def test_that_a_binding_to_nothing_is_told(binding: str) -> None:
    term = LossTerm(loss=Choice(type="MSELoss"), inputs={"input": binding})
    with pytest.raises(DiagnosticError) as caught:
        LossTerms((term,), ["out"], CPU)
    assert caught.value.problems[0].code == "R114"


def test_that_class_weights_become_a_tensor() -> None:
    term = LossTerm(
        loss=Choice(type="CrossEntropyLoss", params={"weight": (1.0, 2.0, 4.0)}),
        inputs={"input": "model.out", "target": "data.label"},
    )
    loss = LossTerms((term,), ["out"], CPU)
    outputs, label = torch.randn(8, 3), torch.randint(0, 3, (8,))
    wanted = torch.nn.functional.cross_entropy(outputs, label, weight=torch.tensor([1.0, 2.0, 4.0]))
    assert torch.equal(loss(outputs, {"label": label})[0], wanted)


@pytest.mark.parametrize(
    ("loss", "field", "names"),
    [
        ("CrossEntropyLoss", LABEL, tuple(metrics.CLASSES)),
        ("BCEWithLogitsLoss", TRUTH, tuple(metrics.CLASSES)),
        ("MSELoss", TRUTH, tuple(metrics.REGRESSION)),
    ],
)
@pytest.mark.parametrize("begun", [0, 30])
def test_that_what_several_processes_measured_goes_on_in_one(
    monkeypatch: pytest.MonkeyPatch,
    loss: str,
    field: FieldInfo,
    names: tuple[str, ...],
    begun: int,
) -> None:
    monkeypatch.setattr(metrics, "_BUFFER_ELEMENTS", begun or 1 << 16)
    generator = torch.Generator().manual_seed(0)
    outputs = torch.randn(60, 3 if field is LABEL else 1, generator=generator)
    truth = torch.randint(0, 3 if field is LABEL else 2, (60,), generator=generator)
    targets = truth if field is LABEL else truth[:, None].float()
    meters = [meter_for(loss, field, names) for _ in range(3)]
    for meter, share in zip(meters, ([0, 1, 2], [3, 4], []), strict=True):
        for number in share:
            rows = slice(10 * number, 10 * number + 10)
            meter.observe(outputs[rows], {field.name: targets[rows]})
            meter.add_loss(float(number), 10)
    states = [meter.state_dict() for meter in meters]
    after = meter_for(loss, field, names)
    after.load_state_dict(merged_states(states))
    after.observe(outputs[50:], {field.name: targets[50:]})
    after.add_loss(5.0, 10)
    whole = meter_for(loss, field, names)
    whole.observe(outputs, {field.name: targets})
    whole.add_loss(2.5, 60)
    assert after.compute() == pytest.approx(whole.compute(), rel=1e-5)
    assert len(after.compute()) == len(names) + 1
    for state in states:
        together = meter_for(loss, field, names, Two(states))
        together.load_state_dict(deepcopy(state))
        whole.load_state_dict(merged_states(deepcopy(states)))
        assert together.compute() == whole.compute(), "the same in each process"


@pytest.mark.parametrize("name", ["r2", "explained_variance"])
def test_that_a_large_mean_costs_no_digits_of_the_explained_variance(name):
    generator = torch.Generator().manual_seed(0)
    target = torch.randn(500, 1, generator=generator) * 3 + 20_000
    outputs = target + torch.randn(500, 1, generator=generator)
    score = {"r2": reference.r2_score, "explained_variance": reference.explained_variance_score}
    meter = meter_for("MSELoss", TRUTH, (name,))
    found = measured(meter, outputs, {"target": target})
    expected = score[name](target.double().numpy(), outputs.double().numpy())
    assert found[name] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("name", ["r2", "explained_variance"])
def test_that_the_explained_variance_is_that_of_any_unit(name):
    generator = torch.Generator().manual_seed(0)
    target = torch.randn(500, 2, generator=generator) * 1e-7
    outputs = target + torch.randn(500, 2, generator=generator) * 1e-7
    score = {"r2": reference.r2_score, "explained_variance": reference.explained_variance_score}
    found = measured(meter_for("MSELoss", TRUTH, (name,)), outputs, {"target": target})
    expected = score[name](target.double().numpy(), outputs.double().numpy())
    assert found[name] == pytest.approx(expected, rel=1e-6)


def test_that_a_target_of_one_value_is_explained_by_that_value_alone():
    target = torch.full((5, 1), 0.25)
    for outputs, expected in ((target, 1.0), (target + 0.5, 0.0)):
        meter = meter_for("MSELoss", TRUTH, ("r2",))
        assert measured(meter, outputs, {"target": target})["r2"] == expected


def two_outputs(world: World = ALONE) -> EpochMeter:
    """Return a meter of a classifier beside which a number is predicted."""
    number = LossTerm(
        loss=Choice(type="MSELoss"), inputs={"input": "model.number", "target": "data.target"}
    )
    term = BoundTerm(number, "MSELoss", ["out", "number"])
    other = EpochMeter(("mae", "r2"), Comparison(term, [TRUTH]), CPU)
    label = replace(number, loss=Choice(type="CrossEntropyLoss"))
    label = replace(label, inputs={"input": "model.out", "target": "data.label"})
    first = Comparison(BoundTerm(label, "CrossEntropyLoss", ["out", "number"]), [LABEL])
    return EpochMeter(("accuracy",), first, CPU, world, others={"number": other})


def test_that_further_outputs_are_measured_in_parts_and_on_several_ranks() -> None:
    generator = torch.Generator().manual_seed(1)
    scores = torch.randn(60, 3, generator=generator)
    numbers, true = torch.randn(2, 60, 1, generator=generator).unbind(0)
    label = torch.randint(0, 3, (60,), generator=generator)
    wanted = {
        "accuracy": reference.accuracy_score(label, scores.argmax(1)),
        "number:mae": reference.mean_absolute_error(true, numbers),
        "number:r2": reference.r2_score(true, numbers),
    }

    def seen(meter: EpochMeter, rows: slice) -> EpochMeter:
        meter.observe((scores[rows], numbers[rows]), {"label": label[rows], "target": true[rows]})
        return meter

    whole = two_outputs()
    whole.load_state_dict(deepcopy(seen(two_outputs(), slice(0, 25)).state_dict()))
    assert seen(whole, slice(25, 60)).compute() == pytest.approx(wanted, abs=1e-6)
    states = [seen(two_outputs(), rows).state_dict() for rows in (slice(0, 25), slice(25, 60))]
    rank = two_outputs(Two(states))
    rank.load_state_dict(states[0])
    assert rank.compute() == pytest.approx(wanted, abs=1e-6)
    whole.reset()
    assert whole.compute() == {}
