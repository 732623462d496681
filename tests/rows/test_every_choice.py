"""Every loss, optimizer and scheduler that is offered trains, or tells beforehand why not."""

import pytest

from engine import api
from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup
from engine.diagnostics import sentence
from engine.graph.model import Edge, Graph, Node
from engine.runs.record.state import RunStatus
from engine.spec.run import Choice, DataSpec, LossTerm, RunSpec
from tests.tiny_run import iris_graph, iris_spec, make_run, node, train

WIDTHS = {"iris": 4, "moons": 2, "diabetes": 10}
FIELDS = {"iris": "features", "moons": "point", "diabetes": "features"}


def heads(data: str, **outputs: tuple[Node, ...]) -> Graph:
    """Return a model of one input and an output for each row of layers."""
    nodes = [node("Input", "source", field=FIELDS[data], shape=(WIDTHS[data],))]
    edges: list[Edge] = []
    for name, layers in outputs.items():
        before = "source"
        for layer in (*layers, node("Output", name)):
            nodes.append(layer)
            edges.append(
                Edge(source=before, source_port="output", target=layer.id, target_port="input")
            )
            before = layer.id
    return Graph(nodes={item.id: item for item in nodes}, edges=tuple(edges))


def linear(name: str, width: int) -> Node:
    return node("Linear", name, out_features=width)


def one(data: str, width: int, *rest: Node) -> Graph:
    return heads(data, out=(linear("a", width), *rest))


def twins(count: int, width: int) -> Graph:
    names = "abc"[:count]
    return heads("diabetes", **{f"{name}_out": (linear(name, width),) for name in names})


LABEL = {"input": "model.out", "target": "data.label"}
TARGET = {"input": "model.out", "target": "data.target"}
TRIPLET = {"anchor": "model.a_out", "positive": "model.b_out", "negative": "model.c_out"}
LOGS = node("LogSoftmax", "logs", dim=1)
WITH_VARIANCE = heads(
    "diabetes", out=(linear("a", 1),), var=(linear("b", 1), node("Softplus", "plus"))
)
TRAINED: dict[str, tuple[str, Graph, dict[str, str]]] = {
    "CrossEntropyLoss": ("iris", one("iris", 3), LABEL),
    "NLLLoss": ("iris", one("iris", 3, LOGS), LABEL),
    "MultiMarginLoss": ("iris", one("iris", 3), LABEL),
    "BCEWithLogitsLoss": ("moons", one("moons", 1), TARGET),
    "BCELoss": ("moons", one("moons", 1, node("Sigmoid", "squash")), TARGET),
    "MultiLabelSoftMarginLoss": ("moons", one("moons", 1), TARGET),
    "KLDivLoss": ("moons", one("moons", 1, LOGS), TARGET),
    "MSELoss": ("diabetes", one("diabetes", 1), TARGET),
    "L1Loss": ("diabetes", one("diabetes", 1), TARGET),
    "SmoothL1Loss": ("diabetes", one("diabetes", 1), TARGET),
    "HuberLoss": ("diabetes", one("diabetes", 1), TARGET),
    "PoissonNLLLoss": (
        "diabetes",
        one("diabetes", 1),
        {"log_input": "model.out", "target": "data.target"},
    ),
    "GaussianNLLLoss": ("diabetes", WITH_VARIANCE, {**TARGET, "var": "model.var"}),
    "TripletMarginLoss": ("diabetes", twins(3, 4), TRIPLET),
    "TripletMarginWithDistanceLoss": ("diabetes", twins(3, 4), TRIPLET),
    "ModelOutput": ("diabetes", one("diabetes", 1), {"input": "model.out"}),
}
PAIR = {"input1": "model.a_out", "input2": "model.b_out", "target": "data.target"}
REFUSED: dict[str, tuple[str, Graph, dict[str, str], str]] = {
    "SoftMarginLoss": ("moons", one("moons", 1), TARGET, "R071"),
    "HingeEmbeddingLoss": ("moons", one("moons", 1), LABEL, "R071"),
    "MultiLabelMarginLoss": ("iris", one("iris", 3), LABEL, "R038"),
    "CosineEmbeddingLoss": ("diabetes", twins(2, 4), PAIR, "R073"),
    "MarginRankingLoss": ("diabetes", twins(2, 4), PAIR, "R038"),
    "CTCLoss": (
        "iris",
        one("iris", 3, LOGS),
        {
            "log_probs": "model.out",
            "targets": "data.label",
            "input_lengths": "data.label",
            "target_lengths": "data.label",
        },
        "R072",
    ),
}
SCHEDULES: dict[str, dict[str, object]] = {
    "StepLR": {"step_size": 1},
    "CosineAnnealingLR": {"T_max": 2},
    "OneCycleLR": {"max_lr": 0.1},
    "ExponentialLR": {"gamma": 0.5},
    "MultiStepLR": {"milestones": (1,)},
    "CosineAnnealingWarmRestarts": {"T_0": 1},
    "LambdaLR": {"lr_lambda": "1 / (1 + step)"},
    "MultiplicativeLR": {"lr_lambda": "0.9"},
    "CyclicLR": {"base_lr": 0.001, "max_lr": 0.01, "step_size_up": 2},
}


def spec_of(key: str, data: str, inputs: dict[str, str]) -> RunSpec:
    term = LossTerm(loss=Choice(type=key), inputs=inputs)
    source = DataSpec(source=Choice(type=data), normalization="standard")
    return iris_spec(data=source, losses=(term,), metrics=(), epochs=1, mode="thread")


def keys(group: EntryGroup) -> list[str]:
    return [entry.key for entry in catalog().group(group)]


def outcome(tmp_path, graph: Graph, spec: RunSpec) -> RunStatus:
    """Return how a short run ends."""
    values = {name: getattr(spec, name) for name in spec.__struct_fields__}
    return train(make_run(tmp_path, graph, **values)).status


@pytest.mark.row("S152")
def test_that_every_loss_that_is_offered_is_tried_here():
    assert TRAINED.keys() | REFUSED.keys() == set(keys(EntryGroup.LOSS))


@pytest.mark.filterwarnings("ignore:reduction. 'mean' divides:UserWarning")
@pytest.mark.parametrize("key", TRAINED)
def test_that_a_loss_with_fitting_data_trains_without_a_finding(tmp_path, key):
    data, graph, inputs = TRAINED[key]
    spec = spec_of(key, data, inputs)
    assert api.check(graph, spec).problems == ()
    assert outcome(tmp_path, graph, spec) is RunStatus.FINISHED


@pytest.mark.parametrize("key", REFUSED)
def test_that_a_loss_without_fitting_data_is_refused_before_the_run_in_words(key):
    data, graph, inputs, code = REFUSED[key]
    found = {item.code: item for item in api.check(graph, spec_of(key, data, inputs)).problems}
    assert found[code].severity == "error"
    for language in ("en", "zh_CN"):
        assert key in sentence(found[code], language)


@pytest.mark.parametrize("key", keys(EntryGroup.OPTIMIZER))
def test_that_every_optimizer_trains_or_is_refused_before_the_run(tmp_path, key):
    graph = iris_graph()
    spec = iris_spec(optimizer=Choice(type=key), metrics=(), epochs=1, mode="thread")
    found = {item.code for item in api.check(graph, spec).problems}
    assert found == {"Muon": {"R051"}, "SparseAdam": {"R052"}}.get(key, set())
    if not found:
        assert outcome(tmp_path, graph, spec) is RunStatus.FINISHED


@pytest.mark.parametrize("key", keys(EntryGroup.SCHEDULER))
def test_that_every_scheduler_trains(tmp_path, key):
    every_step = key in (
        "OneCycleLR",
        "CyclicLR",
        "WarmupCosine",
        "WarmupStableDecay",
        "DrawnCurve",
    )
    spec = iris_spec(
        optimizer=Choice(type="SGD", params={"momentum": 0.5}),
        scheduler=Choice(type=key, params=SCHEDULES.get(key, {})),
        scheduler_interval="step" if every_step else "epoch",
        metrics=(),
        epochs=2,
        mode="thread",
    )
    assert api.check(iris_graph(), spec).problems == ()
    assert outcome(tmp_path, iris_graph(), spec) is RunStatus.FINISHED
