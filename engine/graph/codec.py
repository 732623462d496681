"""Graphs as documents and as text: any document gives a graph or says where it is wrong.

A document is ``{"format": 1, "nodes": [...], "edges": ["a.output -> b.input", ...]}``. A node
holds ``id``, ``type``, ``name``, ``position`` and, where there are any, ``params``, ``pinned``,
``repeat``, ``tied``, ``shares``, ``bypassed``, ``muted``, ``color``, ``collapsed``, ``init``,
``frozen``, ``recompute``. Types are keys of the catalogue or ``block.NAME``; an unknown one stays
as it is and makes a placeholder. Frames and notes stand under ``annotations``. Where there are
blocks they stand by name under ``blocks``, each with its own ``nodes``, ``edges`` and
``annotations``; the texts of the user's own code by the name of their file under ``code`` (in a
project they are files of their own).
"""

import math
import re
from collections.abc import Callable, Iterable
from typing import Annotated, Any

import msgspec
from msgspec.structs import replace

from engine.catalog.spec import Value
from engine.decoding import convert, decode_json
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.files import DOCUMENT_BYTES, UNDECODABLE, has_too_many_values
from engine.graph.block import MAX_REPEAT, used_blocks
from engine.graph.code import used_files
from engine.graph.edit.annotation import (
    MOST_ANNOTATIONS,
    annotation_problem,
    free_annotation_id,
)
from engine.graph.edit.code_edits import file_name_problem, text_problem
from engine.graph.model import Annotation, Block, BlockStyle, Edge, Graph, Initial, Node
from engine.graph.naming import block_name_problem, free_name, is_node_id

FORMAT = 1
CLIPBOARD_FORMAT = "trellis-graph"
MAX_NODES = 100_000
MAX_EDGES = 1_000_000
MAX_INTEGER = 2**63 - 1

_LIMITS = (("nodes", MAX_NODES), ("edges", MAX_EDGES), ("annotations", MOST_ANNOTATIONS))

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
    pinned: bool = False
    repeat: Annotated[int, msgspec.Meta(ge=1, le=MAX_REPEAT)] = 1
    tied: bool = False
    shares: str = ""
    bypassed: bool = False
    muted: bool = False
    color: str = ""
    collapsed: bool = False
    init: dict[str, Initial] = {}
    frozen: bool = False
    recompute: bool = False


class _BlockDocument(msgspec.Struct, kw_only=True):
    nodes: list[_NodeDocument] = []
    edges: list[str] = []
    style: BlockStyle = BlockStyle.CLASS
    note: str = ""
    kept: bool = False
    annotations: list[Annotation] = []


class _GraphDocument(msgspec.Struct, kw_only=True):
    nodes: list[_NodeDocument] = []
    edges: list[str] = []
    blocks: dict[str, _BlockDocument] = {}
    annotations: list[Annotation] = []
    code: dict[str, str] = {}


def to_document(graph: Graph) -> Document:
    """Return a graph as plain values, ready for JSON; nodes and wires in their order."""
    document = {"format": FORMAT, **_level_document(graph.nodes, graph.edges)}
    document |= _annotation_document(graph.annotations)
    if graph.blocks:
        document["blocks"] = {name: _block_document(block) for name, block in graph.blocks.items()}
    if graph.code:
        document["code"] = dict(graph.code)
    return document


def _level_document(nodes: dict[str, Node], edges: Iterable[Edge]) -> Document:
    return {
        "nodes": [_node_document(node) for node in nodes.values()],
        "edges": [_edge_text(edge) for edge in edges],
    }


def _annotation_document(annotations: dict[str, Annotation]) -> Document:
    if not annotations:
        return {}
    return {"annotations": [msgspec.to_builtins(value) for value in annotations.values()]}


def _block_document(block: Block) -> Document:
    described = msgspec.to_builtins(
        msgspec.structs.replace(block, nodes={}, edges=(), annotations={})
    )
    level = _level_document(block.nodes, block.edges)
    return {**described, **level, **_annotation_document(block.annotations)}


def from_document(document: object) -> Graph:
    """Return the graph of a document. Raises :class:`DiagnosticError` with the faulty path."""
    return read_document(document)[0]


def read_document(document: object) -> tuple[Graph, tuple[Diagnostic, ...]]:
    """Return the graph of a document and what had to be mended in it (doubled ids).

    Raises :class:`DiagnosticError` with the path of the fault.
    """
    checked = _checked(document)
    mended: list[Diagnostic] = []
    nodes, edges = _read_level(checked.nodes, checked.edges, "$", mended)
    blocks: dict[str, Block] = {}
    for name, part in checked.blocks.items():
        path = f"$.blocks.{name[:100]}"
        if block_name_problem(name) is not None:
            raise _fault(path, "Expected the name of a class")
        inner, wires = _read_level(part.nodes, part.edges, path, mended)
        blocks[name] = Block(
            nodes=inner,
            edges=wires,
            style=part.style,
            note=part.note,
            kept=part.kept,
            annotations=_annotations(part.annotations, path),
        )
    for file, text in checked.code.items():
        if file_name_problem(file) is not None or text_problem(file, text) is not None:
            raise _fault(f"$.code.{file[:100]}", "Expected a file of Python code")
    graph = Graph(
        nodes=nodes,
        edges=edges,
        blocks=blocks,
        code=checked.code,
        annotations=_annotations(checked.annotations, "$"),
    )
    return graph, tuple(mended)


def _read_level(
    parts: list[_NodeDocument], texts: list[str], path: str, mended: list[Diagnostic]
) -> tuple[dict[str, Node], tuple[Edge, ...]]:
    nodes: dict[str, Node] = {}
    for index, part in enumerate(parts):
        node = _node(part, f"{path}.nodes[{index}]")
        if node.id in nodes:
            node_id = free_name(node.id, nodes)
            mended.append(Diagnostic(code="G046", node=node_id, params={"id": node.id}))
            node = msgspec.structs.replace(node, id=node_id)
        nodes[node.id] = node
    edges = tuple(_edge(text, f"{path}.edges[{index}]") for index, text in enumerate(texts))
    return nodes, edges


def _annotations(parts: list[Annotation], path: str) -> dict[str, Annotation]:
    annotations: dict[str, Annotation] = {}
    for index, part in enumerate(parts):
        field = annotation_problem(part)
        if field:
            raise _fault(f"{path}.annotations[{index}].{field}", "Expected a frame or a note")
        new_id = free_annotation_id(part.kind, annotations) if part.id in annotations else part.id
        annotations[new_id] = msgspec.structs.replace(part, id=new_id)
    return annotations


def cut_out(graph: Graph, ids: Iterable[str]) -> Graph:
    """Return some nodes, frames and notes, the wires between them, and the blocks and code that
    they need.
    """
    chosen = set(ids)
    nodes = {
        node_id: _independent(node, graph, chosen)
        for node_id, node in graph.nodes.items()
        if node_id in chosen
    }
    part = Graph(
        nodes=nodes,
        edges=tuple(e for e in graph.edges if e.source in chosen and e.target in chosen),
        blocks={name: graph.blocks[name] for name in used_blocks(graph.blocks, nodes.values())},
        code=graph.code,
        annotations={key: graph.annotations[key] for key in graph.annotations if key in chosen},
    )
    return replace(part, code={file: graph.code[file] for file in used_files(part)})


def _independent(node: Node, graph: Graph, chosen: set[str]) -> Node:
    """Return a node with weights of its own when the one it shares them with stays behind."""
    source = graph.nodes.get(node.shares)
    if source is None or source.id in chosen:
        return node
    return msgspec.structs.replace(
        node, shares="", params=source.params, init=source.init, frozen=source.frozen
    )


def to_text(graph: Graph, ids: Iterable[str]) -> str:
    """Return some nodes and the wires between them as text for the clipboard."""
    fragment = cut_out(graph, ids)
    document = {"clipboard": CLIPBOARD_FORMAT, **to_document(fragment)}
    return msgspec.json.encode(document).decode()


def from_text(text: str) -> Graph:
    """Return the nodes and wires of a text made by :func:`to_text`.

    Raises :class:`DiagnosticError` for any other text.
    """
    if len(text) > DOCUMENT_BYTES or has_too_many_values(text.encode("utf-8", "replace")):
        raise DiagnosticError.of("G043")
    try:
        document = decode_json(text, object)
    except UNDECODABLE as error:
        raise DiagnosticError.of("G043", detail=str(error)) from error
    if not isinstance(document, dict) or document.get("clipboard") != CLIPBOARD_FORMAT:
        raise DiagnosticError.of("G043")
    return from_document(document)


def _checked(document: object) -> _GraphDocument:
    if not isinstance(document, dict):
        raise _fault("$", f"Expected `object`, got `{type(document).__name__}`")
    version = document.get("format", FORMAT)
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise _fault("$.format", "Expected a whole number from 1")
    if version > FORMAT:
        raise DiagnosticError.of("G041", format=str(version)[:20], known=FORMAT)
    while version < FORMAT:
        document = MIGRATIONS[version](document)
        version += 1
    blocks = document.get("blocks")
    for part in [document, *(blocks.values() if isinstance(blocks, dict) else ())]:
        _check_sizes(part)
    try:
        return convert(document, _GraphDocument)
    except UNDECODABLE as error:
        message, _, path = str(error).partition(" - at ")
        raise _fault(path.strip("`") or "$", message) from error


def _check_sizes(level: object) -> None:
    for name, limit in _LIMITS:
        part = level.get(name, []) if isinstance(level, dict) else []
        if isinstance(part, list | tuple) and len(part) > limit:
            raise DiagnosticError.of("G042", field=name, count=len(part), limit=limit)


def _node(part: _NodeDocument, path: str) -> Node:
    if not is_node_id(part.id):
        raise _fault(f"{path}.id", "Expected 1 to 200 characters without spaces and dots")
    if not all(math.isfinite(value) for value in part.position):
        raise _fault(f"{path}.position", "Expected finite numbers")
    _check_numbers(part.params, f"{path}.params")
    for weight, initial in part.init.items():
        _check_numbers(initial.params, f"{path}.init.{weight[:100]}.params")
    return Node(**{name: getattr(part, name) for name in part.__struct_fields__})


def _check_numbers(params: dict[str, Value], path: str) -> None:
    for name, value in params.items():
        values = value if isinstance(value, tuple) else (value,)
        if not all(_is_sound(single) for single in values):
            raise _fault(f"{path}.{name[:100]}", "Expected a finite number in 64 bits")


def _is_sound(value: bool | float | str | None) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return not isinstance(value, int) or abs(value) <= MAX_INTEGER


def _edge(text: str, path: str) -> Edge:
    match = _EDGE.fullmatch(text)
    if match is None:
        raise _fault(path, "Expected `node.output -> node.input`")
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
