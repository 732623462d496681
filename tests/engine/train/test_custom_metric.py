"""Metrics of the user's code: what torchmetrics computes with them, in every way a run goes."""

from copy import deepcopy

import pytest
import torch
from msgspec.structs import replace

from engine.api import evaluate
from engine.custom import watchdog
from engine.custom.trust import set_trust
from engine.data.preview import describe
from engine.diagnostics import DiagnosticError, sentence
from engine.model.analysis import analyse
from engine.runs.record.state import RunStatus
from engine.runs.record.store import RunStore
from engine.spec.custom_code import custom_from, rename_custom
from engine.spec.data import FieldInfo
from engine.spec.fields import get_value, set_text
from engine.spec.run import CheckpointSpec, Choice, LossTerm
from engine.spec.series import best_mode, monitored_series
from engine.spec.technique import EarlyStoppingSpec
from engine.spec.validate import validate
from engine.train.comparison import Comparison
from engine.train.losses import BoundTerm
from engine.train.metric_check import check_custom_metrics
from engine.train.metrics import EpochMeter, merged_states
from engine.train.ranks.exchange import decode, encode
from tests.engine.train.test_resume import assert_same_run, stop_at
from tests.tiny_run import iris_graph, iris_spec, make_run, train

METRICS = """
import torch
import torchmetrics as tm
from torchmetrics import MeanMetric, Metric
from torchmetrics.classification import MulticlassF1Score
from torchmetrics.utilities import dim_zero_cat


class F1(MulticlassF1Score):
    pass


class Furthest(Metric):
    higher_is_better = False

    def __init__(self):
        super().__init__()
        self.add_state("worst", torch.tensor(0.0), dist_reduce_fx="max")
        self.add_state("mean", torch.tensor(0.0), dist_reduce_fx=None)
        self.add_state("all", [], dist_reduce_fx="cat")
        self.inner = MeanMetric()

    def update(self, predicted, target):
        values = predicted.gather(1, target.unsqueeze(1)).flatten()
        torch.rand(3)
        self.worst = torch.maximum(self.worst, values.abs().max())
        self.mean += values.sum()
        self.all.append(values)
        self.inner.update(values)
        predicted.zero_()

    def compute(self):
        values = dim_zero_cat(self.all)
        assert abs(self.mean.sum() - values.sum()) < 1e-3
        return self.worst + values.std() + self.inner.compute()


class Steps(tm.Metric):
    def __init__(self, ignore_index=-1, num_classes=0):
        super().__init__()
        self.add_state("seen", torch.tensor(0), dist_reduce_fx="sum")
        self.scale = num_classes - ignore_index

    def update(self, predicted, target):
        self.seen += len(target)

    def compute(self):
        return int(self.seen) * self.scale


class Forgets(Steps):
    def update(self, predicted, target):
        self.before = len(target)

    def compute(self):
        return self.before


class Fails(Steps):
    def update(self, predicted, target):
        raise KeyError("no such sample")


class Late(Steps):
    def compute(self):
        return 1 / 0


class Wide(Steps):
    def compute(self):
        return torch.zeros(3, 2)


class Several(Steps):
    higher_is_better = False

    def compute(self):
        return {"seen": self.seen, "half": float(self.seen) / 2}


class Each(Steps):
    def compute(self):
        return torch.arange(3) * self.seen


class Places(Steps):
    def compute(self):
        return torch.tensor([4.0, self.seen])


class Words(Steps):
    def compute(self):
        return {"seen": self.seen, "note": "many"}


class Empty(Steps):
    def compute(self):
        return {}


class Unmade(Steps):
    def __init__(self, what):
        super().__init__()


class _Private(Steps):
    pass


class OtherMetric:
    pass


class Odd(OtherMetric):
    pass
"""
CODE = {"own.py": METRICS}
LABEL = FieldInfo(
    name="label", role="target", kind="class", shape=(), dtype="int64", classes=("a", "b", "c")
)
GRAPH = replace(iris_graph(), code=CODE)


@pytest.fixture(autouse=True)
def _trust():
    set_trust(CODE, trusted=True)
    yield
    set_trust(CODE, trusted=False)


def meter_for(*names, seen=CODE):
    term = LossTerm(
        loss=Choice(type="CrossEntropyLoss"),
        inputs={"input": "model.out", "target": "data.label"},
    )
    comparison = Comparison(BoundTerm(term, "loss", ["out"]), [LABEL])
    return EpochMeter([f"own.{name}" for name in names], comparison, torch.device("cpu"), code=seen)


def samples():
    generator = torch.Generator().manual_seed(0)
    scores = torch.randn(60, 3, generator=generator)
    return scores, torch.randint(0, 3, (60,), generator=generator)


def observe(meter, rows):
    scores, label = samples()
    meter.observe(scores[rows], {"label": label[rows]})


def expected():
    """Return what the metrics above are of all samples, computed without torchmetrics."""
    scores, label = samples()
    values = scores.gather(1, label[:, None]).flatten()
    chosen = scores.argmax(dim=1)
    hits = [float(((chosen == one) & (label == one)).sum()) for one in range(3)]
    sizes = [float((chosen == one).sum() + (label == one).sum()) for one in range(3)]
    f1 = [2 * hit / size for hit, size in zip(hits, sizes, strict=True)]
    return {
        "own.F1": sum(f1) / 3,
        "own.Furthest": float(values.abs().max() + values.std() + values.mean()),
        "own.Steps": 60 * 4,
    }


NAMES = ("Furthest", "F1", "Steps")


def test_that_own_metrics_are_computed_and_change_nothing_of_the_run():
    meter = meter_for(*NAMES)
    torch.manual_seed(4)
    before = torch.get_rng_state()
    for rows in torch.arange(60).split(7):
        observe(meter, rows)
    assert meter.compute() == pytest.approx(expected(), rel=1e-5)
    assert torch.equal(torch.get_rng_state(), before)
    meter.reset()
    assert meter.compute() == {}
    observe(meter, slice(0, 60))
    assert meter.compute() == pytest.approx(expected(), rel=1e-5)


@pytest.mark.parametrize("begun", [0, 1 << 16])
def test_that_what_several_processes_counted_is_merged_also_after_a_stop(monkeypatch, begun):
    monkeypatch.setattr("engine.train.metrics._BUFFER_ELEMENTS", begun)
    meters = [meter_for(*NAMES) for _ in range(3)]
    for meter, share in zip(meters, ([0, 1, 2], [3, 4], []), strict=True):
        for number in share:
            observe(meter, slice(10 * number, 10 * number + 10))
    states = [decode(encode(meter.state_dict()), dict) for meter in meters]
    whole = meter_for(*NAMES)
    whole.load_state_dict(merged_states(deepcopy(states)))
    again = meter_for(*NAMES)
    again.load_state_dict(merged_states([whole.state_dict(), meter_for(*NAMES).state_dict()]))
    observe(again, slice(50, 60))
    assert again.compute() == pytest.approx(expected(), rel=1e-5)
    broken = states[0]
    broken["own"] = {"own.Steps": [{"metric": {"count": 1, "values": {"evil": torch.ones(1)}}}]}
    with pytest.raises(ValueError, match="no part of the state"):
        meter_for(*NAMES).load_state_dict(broken)


@pytest.mark.parametrize(
    ("name", "code", "at"),
    [("Fails", "R536", "raise KeyError"), ("Late", "R536", "1 / 0"), ("Wide", "R537", "class Wide"),
     ("Words", "R537", "class Words"), ("Empty", "R537", "class Empty"), ("Several", "", ""),
     ("Unmade", "U013", "class Unmade"), ("Odd", "R535", "class Odd"), ("Forgets", "R538", ""),
     ("Steps", "", ""), ("F1", "", "")],
)  # fmt: skip
def test_that_an_own_metric_is_tried_before_the_run_and_told_at_its_line(name, code, at):
    spec = iris_spec(metrics=("auto", f"own.{name}"))
    info = describe(spec.data)
    found = list(check_custom_metrics(spec, GRAPH, analyse(GRAPH), info))
    assert [problem.code for problem in found] == ([code] if code else [])
    for problem in found:
        assert problem.field == "metrics"
        line = problem.params.get("line")
        assert not at or at in METRICS.splitlines()[int(line) - 1]
        for language in ("en", "zh_CN"):
            assert "{" not in sentence(problem, language)
            assert name in sentence(problem, language)
    assert not validate(spec, GRAPH, analyse(GRAPH), info)


def test_that_what_is_no_metric_or_not_trusted_or_hung_is_not_run(monkeypatch):
    with pytest.raises(DiagnosticError) as raised:
        meter_for("Steps", seen={"own.py": METRICS + "\n# changed"})
    assert raised.value.problems[0].code == "U027"
    spec = iris_spec(metrics=("own.Gone", "own._Private", "auto"))
    found = validate(spec, GRAPH, analyse(GRAPH), describe(spec.data))
    assert [(each.code, each.field) for each in found] == [("R008", "metrics")]
    monkeypatch.setattr(watchdog, "verdict", lambda key: watchdog.Verdict.STUCK)
    with pytest.raises(DiagnosticError) as raised:
        meter_for("Steps")
    assert raised.value.problems[0].code == "U015"


def test_that_an_own_metric_is_chosen_monitored_and_follows_its_file():
    spec = set_text(iris_spec(), "metrics", "auto, own.Furthest", CODE)
    assert get_value(spec, "metrics", CODE) == ("auto", "own.Furthest")
    with pytest.raises(DiagnosticError) as raised:
        set_text(spec, "metrics", "own.Furthest")
    assert raised.value.problems[0].code == "R008"
    info = describe(spec.data)
    series = "validation.own.Furthest"
    assert series in monitored_series(spec, info)
    assert (best_mode(series, CODE), best_mode("validation.own.F1", CODE)) == ("min", "max")
    spec = replace(spec, checkpoint=CheckpointSpec(monitor=series, mode="max"))
    (found,) = check_custom_metrics(spec, GRAPH, analyse(GRAPH), info)
    assert (found.code, found.field) == ("R539", "checkpoint.mode")
    renamed = rename_custom(spec, "own.py", "scores.py")
    assert renamed.metrics == ("auto", "scores.Furthest")
    assert renamed.checkpoint.monitor == "validation.scores.Furthest"
    assert custom_from(spec, "own.py") == ("Furthest",)
    of_class = replace(spec, checkpoint=CheckpointSpec(monitor="validation.own.cat"), metrics=())
    assert rename_custom(of_class, "own.py", "scores.py") == of_class


def test_that_a_run_goes_by_an_own_metric_and_resumes_without_a_difference(tmp_path, monkeypatch):
    monkeypatch.setattr("engine.train.metrics._BUFFER_ELEMENTS", 0)
    changes = {
        "metrics": ("own.Furthest", "accuracy"),
        "checkpoint": CheckpointSpec(monitor="validation.own.Furthest", mode="min"),
        "early_stopping": EarlyStoppingSpec(patience=1),
        "optimizer": Choice(type="SGD", params={"lr": 0.5}),
    }
    unbroken = make_run(tmp_path, GRAPH, **changes)
    state = train(unbroken, trusted=True)
    assert state.status is RunStatus.FINISHED
    assert state.metrics.keys() >= {f"{part}.own.Furthest" for part in ("train", "test")}
    with RunStore.open(unbroken.path) as store:
        values = [float(value) for value in store.scalars("validation.own.Furthest").values]
    best = next(point for point in state.checkpoints if "best" in point.tags)
    assert best.metrics["validation.own.Furthest"] == min(values)
    assert values.index(min(values)) == max(len(values) - 2, 0), "ended where it got worse"
    measured = evaluate(unbroken.path, "best", "validation").metrics
    assert measured["validation.own.Furthest"] == pytest.approx(min(values), rel=1e-5)
    broken = make_run(tmp_path, GRAPH, **changes)
    stop_at(broken, 2, trusted=True)
    assert train(broken, "latest", trusted=True).status is RunStatus.FINISHED
    assert_same_run(broken, unbroken)


def test_that_a_metric_which_fails_in_the_run_ends_it_with_a_sentence(tmp_path):
    state = train(make_run(tmp_path, GRAPH, metrics=("own.Late",)), trusted=True)
    assert state.status is RunStatus.FAILED
    assert state.problem is not None
    assert state.problem.code == "R536"
    assert state.problem.params["reason"] == "division by zero"
    assert state.last is not None


@pytest.mark.parametrize(
    ("name", "values"),
    [("Several", {"own.Several.seen": 60, "own.Several.half": 30}),
     ("Each", {"own.Each.a": 0, "own.Each.b": 60, "own.Each.c": 120}),
     ("Places", {"own.Places.1": 4, "own.Places.2": 60})],
)  # fmt: skip
def test_that_a_metric_with_several_numbers_has_a_series_for_each(name, values):
    meter = meter_for(name)
    observe(meter, slice(0, 60))
    assert meter.compute() == pytest.approx(values)


def test_that_one_of_several_numbers_is_monitored_and_an_unknown_one_is_told(tmp_path):
    series = "validation.own.Several.half"
    assert best_mode(series, CODE) == "min"
    spec = iris_spec(metrics=("own.Several",))
    info = describe(spec.data)
    for monitor, codes in ((series, []), ("validation.own.Several.third", ["R040"])):
        spec = replace(spec, checkpoint=CheckpointSpec(monitor=monitor, mode="min"))
        assert not validate(spec, GRAPH, analyse(GRAPH), info)
        found = list(check_custom_metrics(spec, GRAPH, analyse(GRAPH), info))
        assert [problem.code for problem in found] == codes
    assert series in found[0].params["series"]
    spec = replace(spec, checkpoint=CheckpointSpec(monitor="validation.own.Steps.half"))
    assert [each.code for each in validate(spec, GRAPH, analyse(GRAPH), info)] == ["R040"]
    run = make_run(
        tmp_path,
        GRAPH,
        metrics=("own.Several",),
        checkpoint=CheckpointSpec(monitor=series, mode="min"),
    )
    state = train(run, trusted=True)
    assert state.metrics["test.own.Several.half"] * 2 == state.metrics["test.own.Several.seen"]
    renamed = rename_custom(run.document.spec, "own.py", "scores.py")
    assert renamed.checkpoint.monitor == "validation.scores.Several.half"
