"""Initialization of the parameters of layers: what can be chosen, what is wrong, and the change as
data.

A layer whose ``Node.init`` is empty begins as PyTorch has it.
"""

from collections.abc import Iterator
from pathlib import PurePosixPath

import msgspec
from msgspec.structs import replace

from engine.catalog.registry import catalog
from engine.catalog.spec import Entry, EntryGroup, Value, WeightMatch, WeightSpec
from engine.catalog.validate import check_params
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.graph.block import block_of, body, entry_of
from engine.graph.code import code_initialiser, code_initialisers
from engine.graph.error import GraphError, present_node
from engine.graph.model import Graph, Initial, Node

FILE = "file"
FIELD = "@init."
_KAIMING = ("mode", "nonlinearity")
_SAID = {
    "constant": ("value",),
    "uniform": ("low", "high"),
    **dict.fromkeys(("normal", "trunc_normal"), ("mean", "std")),
    **dict.fromkeys(("kaiming_uniform", "kaiming_normal"), _KAIMING),
}
"""What is told of a tensor with a filling."""
WEIGHT_SUFFIXES = (".safetensors", ".pt", ".pth", ".bin", ".ckpt", ".tar")
"""The usual endings of files of weights. What a file is, its content decides."""
SUFFIXES = (".npy", *WEIGHT_SUFFIXES)


class SetInitial(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Say how a parameter of some layers begins; without ``initial`` as PyTorch has it.

    Layers that have no such parameter stay as they are.
    """

    ids: tuple[str, ...]
    weight: str
    initial: Initial | None = None


def initialiser(graph: Graph, key: str) -> Entry | None:
    """Return the description of an initialiser, if there is one with that key."""
    custom = code_initialiser(graph.code, key)
    return catalog().entry(EntryGroup.INITIALISER, key) if custom is None else custom


def initialisers(graph: Graph, rank: int) -> tuple[Entry, ...]:
    """Return what can fill a tensor with that number of axes; the user's own come last."""
    entries = (*catalog().group(EntryGroup.INITIALISER), *code_initialisers(graph.code))
    return tuple(entry for entry in entries if not entry.ranks or rank in entry.ranks)


def weights_of(graph: Graph, node: Node) -> tuple[WeightSpec, ...]:
    """Return the parameters of a node of which can be said how they begin."""
    entry = entry_of(graph, node)
    if entry is None or node.shares:
        return ()
    return tuple(
        weight
        for weight in entry.weights
        if all(entry.value(node.params, name) is True for name in weight.when)
    )


def chosen_initials(graph: Graph, node: Node) -> dict[str, tuple[WeightSpec, Initial]]:
    """Return what is chosen for the parameters that a node has."""
    return {
        weight.name: (weight, node.init[weight.name])
        for weight in (weights_of(graph, node) if node.init else ())
        if weight.name in node.init
    }


def initials_in_model(graph: Graph) -> Iterator[tuple[str, WeightSpec, Initial]]:
    """Yield what is chosen in a model that can be written: the name of a module, its parameter,
    and how that begins.
    """
    for names, inside, node in _holders(graph, ("",)):
        for weight, initial in chosen_initials(inside, node).values():
            yield from ((name, weight, initial) for name in names)


def fills_in_model(graph: Graph) -> Iterator[tuple[str, str]]:
    """Yield the names of the tensors that a model holds beside its layers, and what fills each:
    ``ones``, ``normal(std=0.02)``.
    """
    for names, inside, node in _holders(graph, ("",)):
        entry = entry_of(inside, node)
        if entry is not None and entry.group is EntryGroup.TENSOR:
            fill = str(entry.value(node.params, "fill"))
            values = {name: entry.value(node.params, name) for name in _SAID.get(fill, ())}
            usual = {name: entry.value({}, name) for name in values}
            said = [f"{name}={value}" for name, value in values.items() if value != usual[name]]
            text = f"{fill}({', '.join(said)})" if said else fill
            yield from ((name, text) for name in names)


def _holders(graph: Graph, prefixes: tuple[str, ...]) -> Iterator[tuple[list[str], Graph, Node]]:
    """Yield the nodes that have weights of their own with their names in the model and the level
    that they are in, those inside of a block before it.

    ``prefixes`` are the names of the modules that the graph is the inside of, each with a dot.
    """
    for node in graph.nodes.values():
        if node.shares or node.bypassed:
            continue
        names = [f"{prefix}{node.name}" for prefix in prefixes]
        if node.repeat > 1 and not node.tied:
            names = [f"{name}.{copy}" for name in names for copy in range(node.repeat)]
        block = block_of(graph, node)
        if block is not None:
            yield from _holders(body(graph, block), tuple(f"{name}." for name in names))
        yield names, graph, node


def files_of(graph: Graph) -> tuple[str, ...]:
    """Return the files of the project that parameters of a model begin from.

    Raises :class:`DiagnosticError` (G102) for one outside the project.
    """
    files: list[str] = []
    for _, weight, initial in initials_in_model(graph):
        if initial.type != FILE:
            continue
        file = str(initial.params.get("file", ""))
        if not _is_file_inside(initial):
            raise DiagnosticError.of("G102", file=file[:100], weight=weight.name)
        files.append(file)
    return tuple(dict.fromkeys(files))


def is_meant(weight: WeightSpec, name: str, rank: int) -> bool:
    """Return whether a parameter of a layer, by its name there, is one that is spoken of."""
    match weight.match:
        case WeightMatch.ONE:
            return name == weight.name
        case WeightMatch.PREFIX:
            return name.startswith(weight.name)
        case WeightMatch.SUFFIX:
            return name.endswith(weight.name)
        case WeightMatch.MATRICES:
            return rank > 1


def initial_text(initial: Initial) -> str:
    """Return an initialiser as it is told: ``xavier_normal_(gain=2.0)``."""
    arguments = ", ".join(f"{name}={value}" for name, value in initial.params.items())
    return f"{initial.type}({arguments})"


def initial_of(entry: Entry) -> Initial:
    """Return an initialiser as it is when it was just chosen."""
    return Initial(type=entry.key, params=entry.initial_params())


def initial_problems(graph: Graph, node: Node) -> tuple[Diagnostic, ...]:
    """Return what is wrong with how the parameters of a node begin, each with its field."""
    problems: list[Diagnostic] = []
    for name, (weight, initial) in chosen_initials(graph, node).items():
        field = f"{FIELD}{name}"
        params: dict[str, str | int | float] = {
            "type": initial.type[:60],
            "weight": name,
            "rank": weight.rank,
        }
        entry = initialiser(graph, initial.type)
        if entry is None:
            problems.append(Diagnostic(code="G100", node=node.id, field=field, params=params))
        elif entry.ranks and weight.rank not in entry.ranks:
            problems.append(Diagnostic(code="G101", node=node.id, field=field, params=params))
        elif initial.type == FILE and not _is_file_inside(initial):
            params["file"] = str(initial.params.get("file", ""))[:100]
            problems.append(
                Diagnostic(code="G102", node=node.id, field=f"{field}.file", params=params)
            )
        else:
            problems += [
                replace(problem, node=node.id, field=f"{field}.{problem.field}")
                for problem in check_params(entry, initial.params)
            ]
    return tuple(problems)


def _is_file_inside(initial: Initial) -> bool:
    """Return whether a file is one that can be read, inside the project wherever that lies."""
    text = str(initial.params.get("file", ""))
    path = PurePosixPath(text)
    is_inside = not path.is_absolute() and ".." not in path.parts and not set(text) & set("\\:")
    return is_inside and path.suffix in SUFFIXES


def set_initial(edit: SetInitial, graph: Graph) -> Graph:
    """Return the graph after the edit. Raises :class:`GraphError`."""
    nodes = graph.nodes.copy()
    for node_id in edit.ids:
        node = present_node(node_id, graph)
        if all(weight.name != edit.weight for weight in weights_of(graph, node)):
            continue
        init = {name: initial for name, initial in node.init.items() if name != edit.weight}
        if edit.initial is not None:
            init[edit.weight] = _plain(graph, edit.initial)
        after = replace(node, init=init)
        problems = [p for p in initial_problems(graph, after) if _is_about(p, edit.weight)]
        if problems:
            raise GraphError(*problems)
        nodes[node_id] = after
    return replace(graph, nodes=nodes)


def _is_about(problem: Diagnostic, weight: str) -> bool:
    field = f"{FIELD}{weight}"
    return problem.field == field or str(problem.field).startswith(f"{field}.")


def _plain(graph: Graph, initial: Initial) -> Initial:
    """Return an initialiser without what is as its function has it."""
    entry = initialiser(graph, initial.type)
    if entry is None:
        return initial
    kept: dict[str, Value] = {
        name: value
        for name, value in initial.params.items()
        if (spec := entry.param(name)) is None
        or spec.required
        or type(value) is not type(spec.default)
        or value != spec.default
    }
    return Initial(type=initial.type, params=kept)


def layers_alike(graph: Graph, node: Node) -> dict[str, tuple[str, ...]]:
    """Return the layers of a node's type in the whole model: ids by block, empty for the model."""
    levels = {"": graph.nodes, **{name: block.nodes for name, block in graph.blocks.items()}}
    layers = {
        name: tuple(n.id for n in nodes.values() if n.type == node.type and not n.shares)
        for name, nodes in levels.items()
    }
    return {name: ids for name, ids in layers.items() if ids}
