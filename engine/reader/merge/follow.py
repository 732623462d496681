"""Graph after typing: the text decides what it says, and the rest of the canvas stays."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count, islice

from msgspec.structs import replace

from engine.codegen.generated import generated_source, level_writers
from engine.diagnostics import DiagnosticError
from engine.graph.block import BLOCK_INPUT, BLOCK_OUTPUT, body, used_blocks
from engine.graph.code import DRAFT_FILE, MODEL_FILE
from engine.graph.insert.placing import place_after
from engine.graph.layout.layered import DEFAULT_SIZE, Position
from engine.graph.model import Block, Edge, Graph, Node
from engine.graph.node_state.bypass import active
from engine.graph.node_state.mute import without_zeros
from engine.graph.query import INPUT, OUTPUT, ancestors
from engine.reader.merge.completed import completed
from engine.reader.outline.custom_file import with_parts, with_typed
from engine.reader.read.assembly import MatchedLevel, assembled
from engine.reader.read.custom_definition import require_unchanged, without_custom_imports
from engine.reader.read.inferred import Resolved
from engine.reader.read.model_reader import parsed
from engine.reader.text.statement_writer import StatementWriter

_ENDS = ((INPUT, BLOCK_INPUT), (OUTPUT, BLOCK_OUTPUT))
_ROW = 2_000.0  # scene units; further to the right a new row begins


def follow(text: str, graph: Graph, resolved: Resolved, shown: str) -> Graph:
    """Return the graph that a text says, with the text in it.

    ``shown`` is the text that was shown before. Nodes that are not in the text because they lead to
    no output, and those that are skipped, stay. Raises
    :class:`engine.diagnostics.DiagnosticError`, which tells the line, for what cannot be read.
    ``import torch`` and the like are added where a text that can be read lacks them. A class that
    nodes cannot show becomes one node; while it is typed, its nodes are not forgotten.
    """
    _require_textual(graph, resolved)
    text = text.removeprefix("\ufeff")  # Windows puts it before UTF-8
    typed = parsed(text)
    graph = replace(graph, code=with_typed(typed, graph.code))
    text, reading, code = completed(without_custom_imports(typed, graph.code), graph.code)
    spread = _spread(graph, resolved, shown)
    if not reading.is_opaque:
        graph, resolved, shown = spread
    graph = replace(graph, code=code)
    require_unchanged(reading, graph)
    assembly = assembled(reading, graph, resolved, is_leading=True)
    writers = level_writers(active(graph), resolved, StatementWriter)
    blocks = {**graph.blocks, **assembly.switches}
    renewed: set[str] = set()
    for matched in assembly.levels:
        if matched.prefix and matched.block not in renewed:
            renewed.add(matched.block)
            old = graph.blocks.get(matched.known, Block())
            level = _Level(body(graph, old), writers.get(matched.known), matched, shown)
            is_as_before = bool(matched.level.source) and matched.known in writers
            style = old.style if is_as_before else assembly.result.blocks[matched.block].style
            blocks[matched.block] = replace(
                old, nodes=level.nodes(), edges=level.edges(), style=style
            )
    top = _Level(graph, writers.get(""), assembly.levels[0], shown)
    nodes = top.nodes()
    used = set(used_blocks(graph.blocks, graph.nodes.values()))
    after = set(used_blocks(blocks, nodes.values()))
    gone = {name for name in used - after if not blocks[name].kept}
    code = {name: one for name, one in graph.code.items() if name != DRAFT_FILE}
    after = replace(
        graph,
        nodes=nodes,
        edges=top.edges(),
        blocks={name: block for name, block in blocks.items() if name not in gone},
        code={**code, MODEL_FILE: text},
    )
    after = replace(after, code=with_parts(graph, after, assembly.parts))
    if reading.is_opaque:
        _folded[:] = [(after, spread)]
    return after


_Known = tuple[Graph, Resolved, str]  # a graph, its numbers and its text
_folded: list[tuple[Graph, _Known]] = []
"""The graph whose model became one node last, and what was there before; one at most."""


def _spread(graph: Graph, resolved: Resolved, shown: str) -> _Known:
    """Return what was there before the class of the model became the one node that it still is."""
    for folded, known in _folded:
        text = graph.code.get(MODEL_FILE)
        if folded.nodes == graph.nodes and folded.code.get(MODEL_FILE) == text:
            return known
    return graph, resolved, shown


def _require_textual(graph: Graph, resolved: Resolved) -> None:
    """Raise :class:`DiagnosticError` for a graph that not all of can be said in its text."""
    if MODEL_FILE not in graph.code:
        generated = generated_source(graph, resolved)
        ends = [i for i, node in graph.nodes.items() if node.type == OUTPUT]
        reached = ancestors(active(graph), ends) & set(graph.nodes)  # not the zeros of muted nodes
        needed = {i for i in reached if graph.nodes[i].type not in _ENDS[1]}
        if not needed <= generated.nodes | _skipped(graph):
            raise DiagnosticError.of("T003")


def _skipped(graph: Graph) -> set[str]:
    return {node.id for node in graph.nodes.values() if node.bypassed}


class _Level:
    """The nodes of a level: those of the text, and those that it says nothing of."""

    def __init__(
        self, old: Graph, writer: StatementWriter | None, matched: MatchedLevel, shown: str
    ) -> None:
        self._old = old
        nodes, self._edges = without_zeros(matched.nodes, matched.edges)
        computed = active(old).nodes  # there the owner of weights may be another node
        self._nodes = {
            i: replace(old.nodes[i], muted=n.muted)
            if computed.get(i) == replace(n, muted=False)
            else n
            for i, n in nodes.items()
        }
        written = set(old.nodes) if writer is None else writer.node_ids()
        self._silent = {
            node_id: node
            for node_id, node in old.nodes.items()
            if node_id not in self._nodes
            and (node.bypassed or node_id not in written)
            and not _was_made(node, shown)
        }

    def nodes(self) -> dict[str, Node]:
        """Return the nodes in their order, with places for the new ones."""
        mine = {**self._nodes, **self._silent}
        order = [node_id for node_id in self._old.nodes if node_id in mine]
        order += [node_id for node_id in self._nodes if node_id not in self._old.nodes]
        for kinds in _ENDS:
            positions = [
                position for position, node_id in enumerate(order) if mine[node_id].type in kinds
            ]
            ends = [i for i in self._nodes if mine[i].type in kinds]
            ends += [order[position] for position in positions if order[position] not in ends]
            for position, node_id in zip(positions, ends, strict=True):
                order[position] = node_id
        nodes = {node_id: mine[node_id] for node_id in order}
        return self._placed(nodes)

    def _placed(self, nodes: dict[str, Node]) -> dict[str, Node]:
        """Return nodes where each new one lies beside what it gets its input from."""
        new = [node_id for node_id in self._nodes if node_id not in self._old.nodes]
        kept = {node_id: node for node_id, node in nodes.items() if node_id not in new}
        sources: Mapping[str, str] = {edge.target: edge.source for edge in self._edges}
        targets: Mapping[str, str] = {edge.source: edge.target for edge in self._edges}
        for node_id in new:
            beside = sources.get(node_id, targets.get(node_id, ""))
            beside = beside if beside in kept else next(reversed(kept), "")
            position: Position = (0.0, 0.0)
            if beside:
                position = place_after(Graph(nodes=kept), beside, {}, DEFAULT_SIZE, _ROW)
            nodes[node_id] = kept[node_id] = replace(nodes[node_id], position=position)
        return nodes

    def edges(self) -> tuple[Edge, ...]:
        """Return the edges of the text, and those of the nodes that it says nothing of.

        Skipped nodes are not in the text: where the canvas has ``conv -> norm -> relu`` with
        ``norm`` skipped, the text says ``relu(conv(x))``, which is an edge ``conv -> relu``. As
        long as it says that, the two edges of the canvas stay; an edge that it has not said before
        was typed and replaces them.
        """
        nodes = {**self._nodes, **self._silent}
        computed = active(self._old)
        said_before = set(without_zeros(computed.nodes, computed.edges)[1])
        computed_ports = {(edge.target, edge.target_port) for edge in computed.edges}
        old_edges = {(edge.target, edge.target_port): edge for edge in self._old.edges}
        unsaid_ports = [  # fed by nodes that give nothing to what is computed
            port
            for port, edge in old_edges.items()
            if edge.source in self._silent and port not in computed_ports
        ]
        result: dict[tuple[str, str], Edge] = {}
        for edge in _with_gaps(self._edges, unsaid_ports):
            port = edge.target, edge.target_port
            old = old_edges.get(port)
            is_kept = old is not None and old.source in nodes and edge in said_before
            result[port] = old if old is not None and is_kept else edge
        for port, edge in old_edges.items():
            is_present = edge.source in nodes and edge.target in nodes
            if is_present and (edge.target in self._silent or port in unsaid_ports):
                result.setdefault(port, edge)
        order = {edge: number for number, edge in enumerate(self._old.edges)}
        return tuple(sorted(result.values(), key=lambda edge: order.get(edge, len(order))))


def _with_gaps(edges: Sequence[Edge], silent: Sequence[tuple[str, str]]) -> Iterator[Edge]:
    """Yield the wires of a text, which counts the items of a list (``tensors.0``) without those at
    these ports: second outputs of skipped nodes, which lead nowhere.
    """
    held: dict[tuple[str, str], set[int]] = {}
    for target, port in silent:
        name, dot, number = port.partition(".")
        if dot and number.isdigit():
            held.setdefault((target, name), set()).add(int(number))
    for edge in edges:
        name, _, number = edge.target_port.partition(".")
        gaps = held.get((edge.target, name))
        if gaps is None:
            yield edge
            continue
        free = (position for position in count() if position not in gaps)
        yield replace(edge, target_port=f"{name}.{next(islice(free, int(number), None))}")


def _was_made(node: Node, shown: str) -> bool:
    """Return whether a node that leads to no output stood in the text that was shown before."""
    return not node.bypassed and re.search(rf"\bself\.{re.escape(node.name)} = ", shown) is not None
