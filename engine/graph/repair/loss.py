"""Repairs of a model that does not match its loss or its data."""

from collections.abc import Iterator
from math import inf

from msgspec.structs import replace

from engine.catalog.spec import AUTO, Value
from engine.graph.block import type_entry
from engine.graph.edit.edits import Batch, SetParam
from engine.graph.insert.growing import InsertionPoint, grow
from engine.graph.layout.layered import DEFAULT_SIZE
from engine.graph.model import Graph, Node
from engine.graph.query import INPUT, OUTPUT, incoming, unique_name
from engine.graph.repair.case import (
    Case,
    RepairProposal,
    insert_after,
    into,
    remove,
    set_param,
    use_type,
    words,
)

Found = Iterator[RepairProposal | None]
_BEHIND: dict[str, tuple[str, dict[str, Value]]] = {
    "R043": ("LogSoftmax", {"dim": 1}),
    "R045": ("Sigmoid", {}),
    "R074": ("Softplus", {}),
}
_INSTEAD = {
    "R030": ("BCEWithLogitsLoss", "MSELoss", "CrossEntropyLoss"),
    "R034": ("MSELoss", "L1Loss"),
    "R037": ("CrossEntropyLoss", "BCEWithLogitsLoss"),
    "R042": ("NLLLoss",),
    "R043": ("CrossEntropyLoss",),
    "R044": ("BCELoss",),
    "R045": ("BCEWithLogitsLoss",),
    "R070": ("MSELoss",),
    "R071": ("CrossEntropyLoss", "BCEWithLogitsLoss"),
    "R072": ("CrossEntropyLoss",),
}
_BELOW = 120.0  # what a fix adds, below the rest, in scene units


def width(case: Case) -> Found:
    """R035, R036: another number of scores than the data has classes."""
    yield from _set_width(case, case.number("classes"))


def _set_width(case: Case, size: int) -> Found:
    for node in _deciding(case.graph, case.node):
        if "out_features" in node.params and size > 0:
            yield set_param(case, "out_features", size, node)


def _deciding(graph: Graph, node: Node) -> Iterator[Node]:
    """Yield the node and those before it as long as they follow in a chain."""
    seen: set[str] = set()
    while node.id not in seen:
        seen.add(node.id)
        yield graph.nodes.get(node.shares, node)
        edges = incoming(graph, node.id)
        if len(edges) != 1 or edges[0].source not in graph.nodes:
            return
        node = graph.nodes[edges[0].source]


def activation(case: Case) -> Found:
    """R042 to R045, R074, R078: what the last layer makes is not what the loss wants."""
    code = case.problem.code
    if code in ("R042", "R044", "R078"):
        yield remove(case)
    if code in _BEHIND:
        yield insert_after(case, *_BEHIND[code])
    yield from other_loss(case)


def other_loss(case: Case) -> Found:
    """Take a loss that goes with model and target."""
    yield from losses(case.problem.code, case.problem.field or "")


def numbers(case: Case) -> Found:
    """R037: class numbers where decimal numbers are wanted."""
    yield from other_loss(case)
    if case.number("classes"):
        yield _one_hot(case, str(case.problem.params["target"]), case.number("classes"))


def _one_hot(case: Case, target: str, classes: int) -> RepairProposal:
    """Give the classes as one-hot rows out of the model, and compare with these."""
    graph = case.graph
    names = {
        INPUT: unique_name(graph, target),
        OUTPUT: unique_name(graph, f"{target}_one_hot"),
    }
    row: list[tuple[str, dict[str, Value]]] = [
        (INPUT, {"field": target, "shape": (), "dtype": "int64"}),
        ("one_hot", {"num_classes": classes}),
        ("cast", {"dtype": "float32"}),
        (OUTPUT, {}),
    ]
    positions = [node.position for node in graph.nodes.values()]
    corner = min(x for x, _ in positions), max(y for _, y in positions) + _BELOW
    grown = grow(
        graph,
        [(entry, params) for key, params in row if (entry := type_entry(graph, key)) is not None],
        InsertionPoint(position=corner, size=DEFAULT_SIZE, sizes={}, room_width=inf),
        lambda node: replace(node, name=names.get(node.type, node.name)),
    )
    return RepairProposal(
        words=words("F027", target=target, classes=classes),
        edit=grown.edit,
        settings={case.problem.field or "": f"model.{names[OUTPUT]}"},
    )


def losses(code: str, field: str) -> Found:
    """Take a loss, or another one, in the term that a field belongs to."""
    parts = field.split(".")
    if parts[0] != "losses" or len(parts) < 2:
        parts = ["losses", "0"]
    name = f"losses.{parts[1]}.loss"
    for key in _INSTEAD.get(code, ()):
        yield RepairProposal(words=words("F021", loss=key), settings={name: key})


def shapes(case: Case) -> Found:
    """R038, R039: what the model gives has another shape than the target."""
    given = _rank(case, "input_shape")
    wanted = _rank(case, "target_shape")
    if case.number("size"):
        yield from _set_width(case, case.number("size"))
    ones = [axis for axis, size in enumerate(given) if size == "1" and axis]
    for axis in ones:
        yield insert_after(case, "squeeze", {"dim": axis})
    if wanted[-1:] == ["1"] or len(given) < len(wanted):
        yield insert_after(case, "unsqueeze", {"dim": -1})
    if len(given) >= 3 and len(wanted) >= 2:
        yield insert_after(case, "transpose", {"dim0": 1, "dim1": -1})
    if len(given) > len(wanted) + 1 or (case.problem.code == "R038" and len(given) > len(wanted)):
        yield from _flatten_before(case)
    if len(given) == 3 and len(wanted) == 1:
        yield insert_after(case, "mean", {"dim": 1})


def _rank(case: Case, name: str) -> list[str]:
    return str(case.problem.params.get(name, "")).strip("()").split(" × ")


def _flatten_before(case: Case) -> Found:
    """Put a Flatten before the layer that decides the width."""
    for node in _deciding(case.graph, case.node):
        if node.type != "Linear":
            continue
        edges = incoming(case.graph, node.id)
        edit = into(case.graph, edges[0] if edges else None, "Flatten", {})
        if edit is not None:
            infer = SetParam(id=node.id, name="in_features", value=AUTO)
            said = words("F003", name=node.name, call="Flatten()", field="in_features")
            yield RepairProposal(words=said, edit=Batch(edits=(edit, infer)))
        return


def input_of_data(case: Case) -> Found:
    """R010 to R013: an input that is not what the data has."""
    params, field = case.problem.params, case.problem.field or ""
    if case.problem.code == "R013":
        yield set_param(case, "dtype", str(params.get("offered")))
    elif case.problem.code == "R012":
        offered = str(params.get("offered")).strip("()").split(" × ")
        sizes = tuple(int(size) for size in offered if size.removeprefix("-").isdigit())
        yield set_param(case, "shape", sizes)
    else:
        for name in str(params.get("fields")).split(", "):
            if name.isidentifier():
                yield set_param(case, field, name)


def table(case: Case) -> Found:
    """R075: an embedding with fewer rows than the data names."""
    needed = case.problem.params.get("needed")
    if isinstance(needed, int):
        yield set_param(case, "num_embeddings", needed)


def small_batch(case: Case) -> Found:
    """R014, R015: a batch norm needs two samples."""
    if case.problem.code == "R015":
        said = words("F022")
        yield RepairProposal(words=said, settings={"data.drop_last": True})
    size = case.number("batch")
    sizes = (2, 8, 32) if size == 1 else (size + 1, size - 1)
    for other in sizes:
        if other > 1:
            yield RepairProposal(
                words=words("F023", size=other), settings={"data.batch_size": other}
            )
    if case.node.type == "BatchNorm1d":
        yield use_type(case, "LayerNorm", tuple(case.node.params))
