"""Rules for the inputs and outputs of the model beside the data."""

import math
from collections.abc import Iterator
from typing import NamedTuple

from engine.catalog.registry import catalog
from engine.catalog.spec import Value
from engine.diagnostics import Diagnostic, Severity
from engine.graph.analysis import Analysis, TensorType
from engine.graph.model import Graph, Node
from engine.graph.query import INPUT
from engine.spec.data import DataInfo, FieldInfo
from engine.spec.run import RunSpec

_BATCH_NORMS = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm")
_TABLES = ("Embedding", "EmbeddingBag")
_SAME_NUMBERS = frozenset(
    {"Flatten", "flatten", "reshape", "view", "squeeze", "unsqueeze", "transpose", "permute",
     "contiguous", "select", "narrow", "slice", "flip", "detach", "clone", "Identity"}
)  # fmt: skip
"""What gives on the numbers that arrive, in another order or shape."""

_CHANNEL_DROPOUTS = {"Dropout1d": 3, "Dropout2d": 4, "Dropout3d": 5}
"""Layers that drop whole channels, and the number of axes, batch included, that they are for."""


class _Picked(NamedTuple):
    """A layer that gives one ``place`` of the axis ``dim`` of what arrives."""

    type: str
    dim: Value
    place: int


def check_model(
    spec: RunSpec, graph: Graph, analysis: Analysis, info: DataInfo | None
) -> Iterator[Diagnostic]:
    """Yield the findings about inputs without data, batches of one and dropout of channels."""
    feeding = {(edge.target, edge.target_port): edge for edge in graph.edges}
    for node in graph.nodes.values():
        if node.type == INPUT:
            if info is not None:
                yield from _check_input(node, info)
            continue
        edge = feeding.get((node.id, "input"))
        report = None if edge is None else analysis.nodes.get(edge.source)
        arriving = None if edge is None or report is None else report.outputs.get(edge.source_port)
        if arriving is None:
            continue
        if node.type in _TABLES and info is not None:
            yield from _check_table(graph, node, info)
        if node.type in _BATCH_NORMS and info is not None:
            yield from _check_batch_norm(node, arriving, spec, info)
        axes = _CHANNEL_DROPOUTS.get(node.type)
        if axes is not None and len(arriving.shape) < axes:
            yield from _check_channel_dropout(node, arriving, axes)


def shape_text(shape: tuple[int | str, ...]) -> str:
    """Return a shape as the user reads it: ``N × 1 × 8 × 8``; ``()`` for a single number."""
    return " × ".join(str(size) for size in shape) or "()"


def _check_input(node: Node, info: DataInfo) -> Iterator[Diagnostic]:
    name = str(_value(node, "field") or "")
    field = info.field(name)
    offered = ", ".join(item.name for item in info.fields if item.role == "input")
    if field is None:
        params: dict[str, str | int | float] = {
            "name": node.name,
            "field": name,
            "source": info.source.rpartition(".")[2],  # of custom code the class
            "fields": offered,
        }
        code = "R011" if name else "R010"
        yield Diagnostic(code=code, node=node.id, field="field", params=params)
        return
    value = _value(node, "shape")
    shape = value if isinstance(value, tuple) else (value,)
    if shape != field.shape:
        params = {
            "name": node.name,
            "field": name,
            "shape": shape_text(tuple(str(size) for size in shape)),
            "offered": shape_text(field.shape),
        }
        yield Diagnostic(code="R012", node=node.id, field="shape", params=params)
    dtype = str(_value(node, "dtype"))
    if dtype != field.dtype:
        params = {"name": node.name, "field": name, "dtype": dtype, "offered": field.dtype}
        yield Diagnostic(code="R013", node=node.id, field="dtype", params=params)


def _check_batch_norm(
    node: Node, arriving: TensorType, spec: RunSpec, info: DataInfo
) -> Iterator[Diagnostic]:
    """In training a batch norm needs two values a channel: one sample is too few unless it has
    further axes.
    """
    train = info.part("train")
    rest = arriving.shape[2:]
    if train is None or not all(isinstance(size, int) for size in rest):
        return
    if math.prod(size for size in rest if isinstance(size, int)) > 1:
        return
    size = spec.data.batch_size
    last = train.samples % size
    params: dict[str, str | int | float] = {
        "name": node.name,
        "batch": size,
        "samples": train.samples,
    }
    if spec.data.has_custom_batches:
        if info.custom_batches is not None and info.custom_batches.least == 1:
            yield Diagnostic(code="R014", node=node.id, field="data.batch_sampler", params=params)
    elif size == 1 or train.samples == 1:
        yield Diagnostic(code="R014", node=node.id, field="data.batch_size", params=params)
    elif last == 1 and not spec.data.drop_last:
        yield Diagnostic(code="R015", node=node.id, field="data.batch_size", params=params)


def _check_table(graph: Graph, node: Node, info: DataInfo) -> Iterator[Diagnostic]:
    """Find rows that are looked up and are not in the table: PyTorch stops in the middle of a run
    with “index out of range in self”.
    """
    origin = _origin(graph, node)
    if origin is None:
        return
    source, picked = origin
    field = info.field(str(_value(source, "field") or ""))
    rows = _value(node, "num_embeddings")
    if field is None or field.lowest is None or field.highest is None or not isinstance(rows, int):
        return
    column = None if picked is None else _column(field, picked)
    if picked is not None and column is None and picked.type == "unbind":
        return
    highest = field.highest if column is None else len(field.vocabularies[column]) - 1
    if field.lowest >= 0 and highest < rows:
        return
    params: dict[str, str | int | float] = {
        "name": node.name,
        "rows": rows,
        "last": rows - 1,
        "field": field.name if column is None else field.columns[column],
        "lowest": field.lowest,
        "highest": highest,
        "needed": highest + 1,
    }
    code = "R075" if field.lowest >= 0 else "R076"
    yield Diagnostic(code=code, node=node.id, field="num_embeddings", params=params)


def _origin(graph: Graph, node: Node) -> tuple[Node, _Picked | None] | None:
    """Return the input of the model whose very numbers arrive at a node, if it is one, and what
    takes one column of it.
    """
    feeding = {edge.target: edge for edge in graph.edges}
    inputs = {each.id for each in graph.nodes.values() if each.type == INPUT}
    edge, picked = feeding.get(node.id), None
    for _ in range(len(graph.nodes)):
        source = None if edge is None else graph.nodes.get(edge.source)
        if source is None or edge is None or source.type == INPUT:
            return None if source is None else (source, picked)
        before = feeding.get(source.id)
        is_first = before is not None and before.source in inputs
        if source.type not in _SAME_NUMBERS and not (source.type == "unbind" and is_first):
            return None
        # Of what comes later nobody knows whether an axis still has the columns of the data.
        picked = _picked(source, edge.source_port) if is_first else None
        edge = before
    return None


def _picked(node: Node, port: str) -> _Picked | None:
    """Return what takes one place of an axis, where a node does."""
    place = port.rpartition(".")[2] if node.type == "unbind" else _value(node, "index")
    is_one = node.type in ("unbind", "select") and str(place).removeprefix("-").isdecimal()
    return _Picked(node.type, _value(node, "dim"), int(str(place))) if is_one else None


def _column(field: FieldInfo, picked: _Picked) -> int | None:
    """Return which of the columns with a vocabulary of its own is taken; None without such."""
    count = len(field.vocabularies)
    if len(field.shape) != 1 or picked.dim not in (1, -1) or not -count <= picked.place < count:
        return None
    return picked.place % count


def _check_channel_dropout(node: Node, arriving: TensorType, axes: int) -> Iterator[Diagnostic]:
    params: dict[str, str | int | float] = {
        "name": node.name,
        "type": node.type,
        "shape": shape_text(arriving.shape),
        "axes": axes,
    }
    yield Diagnostic(code="R016", severity=Severity.WARNING, node=node.id, params=params)


def _value(node: Node, name: str) -> Value:
    entry = catalog().node(node.type)
    return node.params.get(name) if entry is None else entry.value(node.params, name)
