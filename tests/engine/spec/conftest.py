"""Models and data that the checks of specifications are tried on."""

from collections.abc import Callable

import pytest

from engine.catalog.spec import Value
from engine.graph.analysis import Analysis, NodeReport, TensorType
from engine.graph.model import Edge, Graph, Node
from engine.spec.data import DataInfo, FieldInfo, SplitInfo

Layer = tuple[str, dict[str, Value], tuple[int | str, ...], int]
"""Type, parameters, shape of what comes out, number of trained elements."""


def make_chain(*layers: Layer, name: str = "logits") -> tuple[Graph, Analysis]:
    """Return layers in a row before an Output, and what an analysis of them says."""
    nodes: dict[str, Node] = {}
    edges: list[Edge] = []
    reports: dict[str, NodeReport] = {}
    before = ""
    for index, (type_, params, shape, trained) in enumerate((*layers, ("Output", {}, (), 0))):
        node_id = name if type_ == "Output" else f"{type_.lower()}{index}"
        nodes[node_id] = Node(id=node_id, type=type_, name=node_id, params=params)
        outputs = {} if type_ == "Output" else {"output": TensorType(shape=shape, dtype="float32")}
        reports[node_id] = NodeReport(outputs=outputs, parameters=trained)
        if before:
            edges.append(
                Edge(source=before, source_port="output", target=node_id, target_port="input")
            )
        before = node_id
    total = sum(report.parameters for report in reports.values())
    analysis = Analysis(nodes=reports, parameters=total)
    return Graph(nodes=nodes, edges=tuple(edges)), analysis


@pytest.fixture
def chain() -> Callable[..., tuple[Graph, Analysis]]:
    """Return what makes a chain of layers with its analysis."""
    return make_chain


@pytest.fixture
def info() -> DataInfo:
    """Return data of four numbers and three classes, with a decimal target besides."""
    return DataInfo(
        source="iris",
        samples=100,
        task="classification",
        fields=(
            FieldInfo(name="features", role="input", kind="vector", shape=(4,), dtype="float32"),
            FieldInfo(
                name="label",
                role="target",
                kind="class",
                shape=(),
                dtype="int64",
                classes=("a", "b", "c"),
            ),
            FieldInfo(name="target", role="target", kind="scalar", shape=(1,), dtype="float32"),
        ),
        splits=(
            SplitInfo(name="train", samples=70, class_counts=(20, 25, 25)),
            SplitInfo(name="validation", samples=15, class_counts=(5, 5, 5)),
            SplitInfo(name="test", samples=15, class_counts=(5, 5, 5)),
        ),
    )
