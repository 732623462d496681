"""Own metrics in the class that trains itself: the values of the run, by the file alone."""

import json
from textwrap import dedent

import pytest
import torch
from msgspec.structs import replace
from torch import nn

from engine.api import export
from engine.custom.trust import set_trust
from engine.export.job import ExportJob
from engine.export.loss_text import LossText
from engine.export.metric_text import MetricText, metric_text
from engine.graph.model import Edge
from engine.runs.folder import RunFolder
from engine.runs.record.store import RunStore
from engine.spec.run import CheckpointSpec, Choice, DataSpec, LossTerm
from engine.spec.technique import EarlyStoppingSpec
from tests.tiny_run import CROSS_ENTROPY, iris_graph, iris_spec, make_run, node, train

METRICS = '''
import torch
import torchmetrics as tm

from .tools import scaled


class Surety(tm.Metric):
    """The mean score of the true class, by class."""

    higher_is_better = True

    def __init__(self, num_classes, ignore_index=-7):
        super().__init__()
        self.ignored = ignore_index
        self.add_state("sums", torch.zeros(num_classes), dist_reduce_fx="sum")
        self.add_state("counts", torch.zeros(num_classes), dist_reduce_fx="sum")

    def update(self, predicted, target):
        assert self.ignored == -7
        scores = scaled(predicted).gather(1, target[:, None])[:, 0]
        self.sums.index_add_(0, target, scores)
        self.counts.index_add_(0, target, torch.ones_like(scores))
        predicted.zero_()

    def compute(self):
        return self.sums / self.counts


class Worst(tm.Metric):
    def __init__(self):
        super().__init__()
        self.add_state("worst", torch.tensor(0.0), dist_reduce_fx="max")

    def update(self, predicted, target):
        self.worst = torch.maximum(self.worst, predicted.abs().max())

    def compute(self):
        return {"score": self.worst, "twice": 2 * self.worst}
'''
TOOLS = "def scaled(scores):\n    return scores.softmax(1)\n"
CODE = {"scores.py": METRICS, "tools.py": TOOLS}
NAMES = ("accuracy", "scores.Surety", "scores.Worst", "again:scores.Worst")
AGAIN = LossTerm(
    loss=Choice(type="MSELoss"), inputs={"input": "model.again", "target": "data.features"}
)
SCRIPT = """
import json
import sys
import warnings

import torch

sys.path.insert(0, ".")
import model

warnings.simplefilter("error")
trained = model.TrainableModel()
trained.load_state_dict(torch.load("model.pt"))
batches = torch.load("batches.pt")
found = trained.evaluate(batches)
assert trained.evaluate(batches) == found
assert len(trained.fit(batches, 3, validation=batches)) == 3
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> RunFolder:
    """Return a run whose two outputs are measured by own metrics, one of which chooses the best
    checkpoint.
    """
    set_trust(CODE, trusted=True)
    graph = iris_graph()
    nodes = {"back": node("Linear", "back", out_features=4), "again": node("Output", "again")}
    edges = [
        Edge(source=a, source_port="output", target=b, target_port="input")
        for a, b in (("act", "back"), ("back", "again"))
    ]
    graph = replace(graph, nodes=graph.nodes | nodes, edges=(*graph.edges, *edges), code=CODE)
    run = make_run(
        tmp_path_factory.mktemp("own"),
        graph,
        metrics=NAMES,
        losses=(CROSS_ENTROPY, AGAIN),
        epochs=2,
        data=DataSpec(source=Choice(type="iris"), batch_size=16),
        checkpoint=CheckpointSpec(monitor="validation.scores.Worst.score", mode="min"),
        early_stopping=EarlyStoppingSpec(patience=5),
    )
    assert train(run, trusted=True).problem is None
    return run


def values_of(run: RunFolder) -> dict[str, float]:
    """Return the last values of the validation as the run recorded them."""
    with RunStore.open(run.path) as store:
        names = [name for name in store.series_names() if ".scores." in name or ":scores." in name]
        names = [name for name in names if name.startswith("validation.")]
        return {name.partition(".")[2]: float(store.scalars(name).values[-1]) for name in names}


@pytest.mark.real
@pytest.mark.row("S212")
def test_that_the_exported_class_gives_the_values_of_the_run(run, tmp_path, plain_python):
    from engine.query.trained import open_trained

    export(run.path, "python-class", tmp_path / "model.py", checkpoint="last")
    with open_trained(run, "last").in_use() as training:
        torch.save(list(training.part_batches("validation")), tmp_path / "batches.pt")
    found = json.loads(plain_python.output(SCRIPT, folder=tmp_path))
    of_run = values_of(run)
    assert set(of_run) == {
        *(f"scores.Surety.{name}" for name in ("setosa", "versicolor", "virginica")),
        *("scores.Worst.score", "scores.Worst.twice"),
        *("again:scores.Worst.score", "again:scores.Worst.twice"),
    }
    assert {name: found[name] for name in of_run} == of_run, "to the last bit"


SQUARES = """
import torch
from torchmetrics import Metric


class Squares(Metric):
    def __init__(self, num_classes=5):
        super().__init__()
        assert num_classes == 5, "there are no classes"
        self.add_state("total", torch.tensor(0.0), dist_reduce_fx="sum")

    def update(self, predicted, target):
        assert predicted.shape == target.shape
        self.total += ((predicted - target) ** 2).sum()

    def compute(self):
        return self.total
"""
KINDS = {
    "MSELoss": "predicted.reshape(len(target), -1), target.reshape(len(target), -1)",
    "BCELoss": "predicted.flatten(), target.flatten().long()",
    "BCEWithLogitsLoss": "predicted.sigmoid().flatten(), target.flatten().long()",
}


@pytest.mark.parametrize("loss", KINDS)
def test_that_metrics_get_what_a_run_gives_them_by_the_loss(loss):
    code = {"sums.py": SQUARES}
    set_trust(code, trusted=True)
    term = LossTerm(loss=Choice(type=loss), inputs={"input": "model.logits", "target": "data.y"})
    graph = replace(iris_graph(), code=code)
    spec = iris_spec(losses=(term,), metrics=("mse", "sums.Squares"))
    job = ExportJob(title="", graph=graph, source="", module=nn.Identity(), spec=spec)
    text = metric_text(job, [LossText(job, term)])
    assert f"return {KINDS[loss]}\n" in text.methods
    assert '"sums.Squares": Squares(),' in text.methods
    compared: dict[str, object] = {"torch": torch}
    exec(SQUARES + dedent(text.methods), compared)
    one = torch.rand(4, 2)
    found = compared["custom_metrics"]([(one, one * 0), (one, one)])
    assert found == {"sums.Squares": pytest.approx(float((one**2).sum()))}


def test_that_a_run_without_custom_metrics_has_no_text_of_them():
    job = ExportJob(title="", graph=iris_graph(), source="", module=nn.Identity(), spec=iris_spec())
    assert metric_text(job, [LossText(job, CROSS_ENTROPY)]) == MetricText()
