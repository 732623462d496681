"""Blocks: parts of a model that are made once, named, and used as nodes of the type ``block.NAME``.

A place inside the model is a path: the ids of the nodes that lead there, joined by ``/``. What a
block is made of is the same in all its uses; shapes and weights belong to each use.
"""

import sys
from collections.abc import Iterable, Iterator

import msgspec

from engine.catalog.registry import catalog
from engine.catalog.spec import Entry, EntryGroup, PortSpec
from engine.diagnostics import Diagnostic
from engine.graph.code import CODE_PREFIX, code_entries, code_entry
from engine.graph.memory import Memory
from engine.graph.model import Block, BlockStyle, Edge, Graph, Node
from engine.graph.naming import default_name, name_problem

PREFIX = "block."
BLOCK_INPUT = "BlockInput"
BLOCK_OUTPUT = "BlockOutput"
SEPARATOR = "/"
MAX_REPEAT = 1000

Path = tuple[str, ...]
"""Ids of the uses of blocks that lead to a level; empty: the model itself."""


def node_on_level(path: str, level: Path) -> str | None:
    """Return the node of a level that is at a node path, or holds what is; None for none."""
    parts = tuple(path.split(SEPARATOR))
    is_inside = parts[: len(level)] == level and len(parts) > len(level)
    return parts[len(level)] if is_inside else None


def block_name(node: Node) -> str:
    """Return the name of the block that a node is a use of; empty for any other node."""
    return node.type.removeprefix(PREFIX) if node.type.startswith(PREFIX) else ""


def block_of(graph: Graph, node: Node) -> Block | None:
    """Return the block that a node is a use of, if it is one and there is that block."""
    return graph.blocks.get(block_name(node))


def entry_of(graph: Graph, node: Node) -> Entry | None:
    """Return the description of a node: the catalogue's, that of its block or of its code.

    Nothing for a placeholder: a type that neither the catalogue nor the graph knows.
    """
    entry = type_entry(graph, node.type)
    return entry if entry is not None and entry.is_node() else None


def type_entry(graph: Graph, key: str) -> Entry | None:
    """Return the description of a type of node: a key of the catalogue, ``block.NAME`` or
    ``code.FILE.NAME``.
    """
    if key.startswith(CODE_PREFIX):
        return code_entry(graph.code, key)
    if not key.startswith(PREFIX):
        return catalog().node(key)
    name = key.removeprefix(PREFIX)
    block = graph.blocks.get(name)
    return None if block is None else block_entry(name, block)


def block_entry(name: str, block: Block) -> Entry:
    """Return a block as an entry: its ports are called like the nodes that stand for them."""
    return _entries.recall((sys.intern(name), block), lambda: _block_entry(name, block))


_entries = Memory[Entry](1_000)


def _block_entry(name: str, block: Block) -> Entry:
    outputs = [node for node in block.nodes.values() if node.type == BLOCK_OUTPUT]
    return Entry(
        key=PREFIX + name,
        group=EntryGroup.BLOCK,
        category="Block",
        label=name,
        summary=block.note.partition("\n")[0],
        doc=block.note,
        inputs=tuple(
            PortSpec(name=node.id, label=node.name)
            for node in block.nodes.values()
            if node.type == BLOCK_INPUT
        ),
        outputs=tuple(
            PortSpec(name=node.id, label=node.name, path=(index,) if len(outputs) > 1 else ())
            for index, node in enumerate(outputs)
        ),
    )


def offered(graph: Graph, path: Path) -> tuple[Entry, ...]:
    """Return all that can be put on a level: of the graph's code and blocks, and the catalogue.

    Inputs and outputs of blocks only inside of one, those of the model only in the model; no block
    that would get into itself.
    """
    wrong = ("Input", "Output") if path else (BLOCK_INPUT, BLOCK_OUTPUT)
    current = block_at(graph, path)
    blocks = [
        block_entry(name, block)
        for name, block in graph.blocks.items()
        if not current or not contains(graph, name, current)
    ]
    own_code = code_entries(graph.code)
    return (*own_code, *blocks, *(entry for entry in catalog().nodes() if entry.key not in wrong))


def body(graph: Graph, block: Block) -> Graph:
    """Return the inside of a block as a graph that knows the same blocks."""
    return msgspec.structs.replace(
        graph,
        nodes=block.nodes,
        edges=block.edges,
        style=block.style,
        annotations=block.annotations,
    )


def level(graph: Graph, path: Path) -> Graph | None:
    """Return the inside of the block that a path leads into, or nothing where it leads nowhere."""
    for node_id in path:
        node = graph.nodes.get(node_id)
        block = None if node is None else block_of(graph, node)
        if block is None:
            return None
        graph = body(graph, block)
    return graph


def valid_path(graph: Graph, path: Path) -> Path:
    """Return as much of a path as leads somewhere."""
    while level(graph, path) is None:
        path = path[:-1]
    return path


def node_at(graph: Graph, node_path: str) -> tuple[Graph, Node] | None:
    """Return the level and the node that a path leads to, or nothing where it leads nowhere."""
    *path, node_id = node_path.split(SEPARATOR)
    inside = level(graph, tuple(path))
    node = None if inside is None else inside.nodes.get(node_id)
    return None if inside is None or node is None else (inside, node)


def place_name(graph: Graph, node_path: str) -> str:
    """Return the names of the nodes that a path leads through; empty when it leads nowhere."""
    parts = node_path.split(SEPARATOR)
    located = [node_at(graph, SEPARATOR.join(parts[: n + 1])) for n in range(len(parts))]
    return SEPARATOR.join(node[1].name for node in located if node) if located[-1] else ""


def block_at(graph: Graph, path: Path) -> str:
    """Return the name of the block that a path leads into; empty for the model itself."""
    if not path:
        return ""
    above = level(graph, path[:-1])
    node = above.nodes.get(path[-1]) if above is not None else None
    return "" if node is None else block_name(node)


def used_blocks(blocks: dict[str, Block], nodes: Iterable[Node]) -> list[str]:
    """Return the names of the blocks that nodes need, those inside before those around them.

    A block that is inside itself is named once; one that does not exist is left out.
    """
    names: list[str] = []
    waiting = [(node, False) for node in reversed(list(nodes)) if node.type.startswith(PREFIX)]
    seen: set[str] = set()
    while waiting:
        node, is_done = waiting.pop()
        name = block_name(node)
        if is_done:
            names.append(name)
        elif name in blocks and name not in seen:
            seen.add(name)
            waiting.append((node, True))
            inside = reversed(blocks[name].nodes.values())
            waiting += [(inner, False) for inner in inside if inner.type.startswith(PREFIX)]
    return names


def contains(graph: Graph, outer: str, inner: str) -> bool:
    """Return whether a block is another one or has it inside, at any depth."""
    block = graph.blocks.get(outer)
    if outer == inner or block is None:
        return outer == inner
    return inner in used_blocks(graph.blocks, block.nodes.values())


def first_uses(graph: Graph) -> dict[str, tuple[Path, Block]]:
    """Return for each block that the model uses the path of its first use, outer blocks first.

    Uses of a block inside itself are left out, so any document comes to an end.
    """
    uses: dict[str, tuple[Path, Block]] = {}
    waiting: list[tuple[Path, dict[str, Node]]] = [((), graph.nodes)]
    for path, nodes in waiting:
        for node in nodes.values():
            block = block_of(graph, node)
            if block is not None and block_name(node) not in uses:
                uses[block_name(node)] = ((*path, node.id), block)
                waiting.append(((*path, node.id), block.nodes))
    return uses


def uses(graph: Graph, name: str) -> Iterator[tuple[str, Node]]:
    """Yield every node that is a use of a block, with the block it stands in (empty: the model)."""
    for holder, nodes in _levels(graph):
        for node in nodes.values():
            if block_name(node) == name:
                yield holder, node


def _levels(graph: Graph) -> Iterator[tuple[str, dict[str, Node]]]:
    yield "", graph.nodes
    for name, block in graph.blocks.items():
        yield name, block.nodes


def chain(block: Block) -> list[Node] | None:
    """Return the layers of a block in order when they are a plain chain: one input, one output,
    each layer called once with what comes from the one before. Nothing otherwise.
    """
    starts = [node for node in block.nodes.values() if node.type == BLOCK_INPUT]
    if len(starts) != 1 or len(block.edges) != len(block.nodes) - 1:
        return None
    following = {edge.source: edge.target for edge in block.edges}
    if len(following) != len(block.edges):
        return None
    nodes: list[Node] = []
    node_id = following.get(starts[0].id)
    while node_id is not None and node_id in block.nodes and len(nodes) < len(block.nodes):
        node = block.nodes[node_id]
        if node.type == BLOCK_OUTPUT:
            return nodes if len(nodes) == len(block.nodes) - 2 else None
        if node.repeat != 1 or node.shares or node.recompute:
            return None
        nodes.append(node)
        node_id = following.get(node_id)
    return None


def is_sequential(graph: Graph, block: Block) -> bool:
    """Return whether a block is written as ``nn.Sequential``: it is meant to be and can be."""
    if block.style is not BlockStyle.SEQUENTIAL:
        return False
    known_by = (block, graph.blocks, graph.code)
    return _SEQUENTIAL.recall(known_by, lambda: can_be_sequential(graph, block))


def can_be_sequential(graph: Graph, block: Block) -> bool:
    """Return whether a block is a chain of layers that ``nn.Sequential`` can hold."""
    layers = chain(block)
    return bool(layers) and all(is_plain_module(graph, node) for node in layers)


def name_refusal(name: str, block: Block, style: BlockStyle) -> Diagnostic | None:
    """Return why a block cannot be written in a style: a name inside would be refused."""
    is_row = style is BlockStyle.SEQUENTIAL
    for node in block.nodes.values():
        if name_problem(node.name, is_sequential=is_row) is not None:
            params: dict[str, str | int | float] = {"block": name, "name": node.name}
            return Diagnostic(code="G082" if is_row else "G083", params=params)
    return None


def fitting_name(node: Node, level: Graph) -> str:
    """Return the name of a node, or one after its type where the level cannot hold that name."""
    is_row = level.style is BlockStyle.SEQUENTIAL
    if name_problem(node.name, is_sequential=is_row) is None:
        return node.name
    return default_name(block_name(node) or node.type)


_SEQUENTIAL = Memory[bool](1_000)  # asked for every use of a block, by everything that writes code


def is_plain_module(graph: Graph, node: Node) -> bool:
    """Return whether a node is a layer or block that gives one value and is called with wires
    alone.
    """
    entry = entry_of(graph, node)
    if entry is None or entry.group not in (EntryGroup.LAYER, EntryGroup.BLOCK):
        return False
    outputs = entry.output_ports(node.params)
    has_one_value = len(outputs) == 1 and not outputs[0].path
    called = [param for param in entry.params if param.call]
    return has_one_value and all(
        not param.required and node.params.get(param.name, param.default) == param.default
        for param in called
    )


def without_lost_wires(graph: Graph) -> Graph:
    """Return the graph without the wires at uses of blocks whose port is not there any more."""
    blocks = dict(graph.blocks)
    for name, block in graph.blocks.items():
        edges = _kept(graph, block.nodes, block.edges)
        if len(edges) != len(block.edges):
            blocks[name] = msgspec.structs.replace(block, edges=edges)
    edges = _kept(graph, graph.nodes, graph.edges)
    edges = graph.edges if len(edges) == len(graph.edges) else edges
    return msgspec.structs.replace(graph, edges=edges, blocks=blocks)


def _kept(graph: Graph, nodes: dict[str, Node], edges: tuple[Edge, ...]) -> tuple[Edge, ...]:
    ports: dict[str, tuple[set[str], set[str]]] = {}
    for node in nodes.values():
        block = block_of(graph, node)
        if block is not None:
            entry = block_entry("", block)
            inputs = {port.name for port in entry.inputs}
            ports[node.id] = inputs, {port.name for port in entry.outputs}
    return tuple(
        edge
        for edge in edges
        if (edge.target not in ports or edge.target_port in ports[edge.target][0])
        and (edge.source not in ports or edge.source_port in ports[edge.source][1])
    )
