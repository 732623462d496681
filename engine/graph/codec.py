"""Graphs as documents and as text: any document gives a graph or says where it is wrong.

A document is ``{"format": 1, "nodes": [...], "edges": ["a.output -> b.input", ...]}``. A node
holds ``id``, ``type``, ``name``, ``position`` and, where there are any, ``params``. Types are
keys of the catalogue; an unknown one stays as it is and makes a placeholder.
"""

import math
import re
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from engine.catalog.spec import Value
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.graph.model import Edge, Graph, Node
from engine.graph.naming import free_name, is_node_id

FORMAT = 1
CLIPBOARD_FORMAT = "trellis-graph"
MAX_NODES = 100_000
MAX_EDGES = 1_000_000
MAX_INTEGER = 2**63 - 1

_EDGE = re.compile(r"([^\s.]{1,200})\.(\S{1,200}) -> ([^\s.]{1,200})\.(\S{1,200})")

Document = dict[str, Any]

MIGRATIONS: dict[int, Callable[[Document], Document]] = {}
"""For each older format the function that makes a document of the next one."""


class _NodeDocument(msgspec.Struct, kw_only=True):
    id: str
    type: str
    name: str
    params: dict[str, Value] = {}
    position: tuple[float, float] = (0.0, 0.0)


class _GraphDocument(msgspec.Struct, kw_only=True):
    nodes: list[_NodeDocument] = []
    edges: list[str] = []


def to_document(graph: Graph) -> Document:
    """Return a graph as plain values, ready for JSON; nodes and wires in their order."""
    return {
        "format": FORMAT,
        "nodes": [_node_document(node) for node in graph.nodes.values()],
        "edges": [_edge_text(edge) for edge in graph.edges],
    }


def from_document(document: object) -> Graph:
    """Return the graph of a document. Raises :class:`DiagnosticError` with the faulty path."""
    return read_document(document)[0]


def read_document(document: object) -> tuple[Graph, tuple[Diagnostic, ...]]:
    """Return the graph of a document and what had to be mended in it (doubled ids).

    Raises :class:`DiagnosticError` with the path of the fault.
    """
    checked = _checked(document)
    nodes: dict[str, Node] = {}
    mended: list[Diagnostic] = []
    for index, part in enumerate(checked.nodes):
        node = _node(part, f"$.nodes[{index}]")
        if node.id in nodes:
            node_id = free_name(node.id, nodes)
            mended.append(Diagnostic(code="G046", node=node_id, params={"id": node.id}))
            node = msgspec.structs.replace(node, id=node_id)
        nodes[node.id] = node
    edges = tuple(_edge(text, index) for index, text in enumerate(checked.edges))
    return Graph(nodes=nodes, edges=edges), tuple(mended)


def to_text(graph: Graph, ids: Iterable[str]) -> str:
    """Return some nodes and the wires between them as text for the clipboard."""
    chosen = set(ids)
    fragment = Graph(
        nodes={node_id: node for node_id, node in graph.nodes.items() if node_id in chosen},
        edges=tuple(e for e in graph.edges if e.source in chosen and e.target in chosen),
    )
    document = {"clipboard": CLIPBOARD_FORMAT, **to_document(fragment)}
    return msgspec.json.encode(document).decode()


def from_text(text: str) -> Graph:
    """Return the nodes and wires of a text made by :func:`to_text`.

    Raises :class:`DiagnosticError` for any other text.
    """
    try:
        document = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise DiagnosticError(Diagnostic(code="G043", detail=str(error))) from error
    if not isinstance(document, dict) or document.get("clipboard") != CLIPBOARD_FORMAT:
        raise DiagnosticError(Diagnostic(code="G043"))
    return from_document(document)


def _checked(document: object) -> _GraphDocument:
    if not isinstance(document, dict):
        raise _fault("$", f"Expected `object`, got `{type(document).__name__}`")
    version = document.get("format", FORMAT)
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise _fault("$.format", "Expected a whole number from 1")
    if version > FORMAT:
        params: dict[str, str | int | float] = {"format": str(version)[:20], "known": FORMAT}
        raise DiagnosticError(Diagnostic(code="G041", params=params))
    while version < FORMAT:
        document = MIGRATIONS[version](document)
        version += 1
    for name, limit in (("nodes", MAX_NODES), ("edges", MAX_EDGES)):
        part = document.get(name, [])
        if isinstance(part, list | tuple) and len(part) > limit:
            counts: dict[str, str | int | float] = {"count": len(part), "limit": limit}
            raise DiagnosticError(Diagnostic(code="G042", field=name, params=counts))
    try:
        return msgspec.convert(document, _GraphDocument)
    except (msgspec.ValidationError, RecursionError, UnicodeError) as error:
        message, _, path = str(error).partition(" - at ")
        raise _fault(path.strip("`") or "$", message) from error


def _node(part: _NodeDocument, path: str) -> Node:
    if not is_node_id(part.id):
        raise _fault(f"{path}.id", "Expected 1 to 200 characters without spaces and dots")
    if not all(math.isfinite(value) for value in part.position):
        raise _fault(f"{path}.position", "Expected finite numbers")
    for name, value in part.params.items():
        values = value if isinstance(value, tuple) else (value,)
        if not all(_is_sound(single) for single in values):
            raise _fault(f"{path}.params.{name[:100]}", "Expected a finite number in 64 bits")
    return Node(
        id=part.id, type=part.type, name=part.name, params=part.params, position=part.position
    )


def _is_sound(value: bool | float | str | None) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return not isinstance(value, int) or abs(value) <= MAX_INTEGER


def _edge(text: str, index: int) -> Edge:
    match = _EDGE.fullmatch(text)
    if match is None:
        raise _fault(f"$.edges[{index}]", "Expected `node.output -> node.input`")
    source, source_port, target, target_port = match.groups()
    return Edge(source=source, source_port=source_port, target=target, target_port=target_port)


def _node_document(node: Node) -> Document:
    """Return a node without its defaults (msgspec leaves out none but the very same object)."""
    document = msgspec.to_builtins(node)
    if node.position == (0.0, 0.0):
        document.pop("position", None)
    return document


def _edge_text(edge: Edge) -> str:
    return f"{edge.source}.{edge.source_port} -> {edge.target}.{edge.target_port}"


def _fault(path: str, message: str) -> DiagnosticError:
    return DiagnosticError(
        Diagnostic(code="G040", params={"path": path, "message": message}, detail=message)
    )
