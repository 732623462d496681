"""Nodes of one level that can be written, with their entries, values and edges."""

from collections.abc import Container, Iterable, Mapping

from engine.catalog.spec import Entry, EntryGroup, PortSpec, Value
from engine.graph.block import BLOCK_INPUT, BLOCK_OUTPUT, block_name, entry_of
from engine.graph.check import missing_inputs, param_problems
from engine.graph.model import BlockStyle, Edge, Graph, Node
from engine.graph.node_state.initialization import initial_problems
from engine.graph.query import (
    INPUT,
    OUTPUT,
    ancestors,
    incoming_by_node,
    order,
    wired_inputs,
    without_stray_wires,
)
from engine.syntax.call import complete_params, unresolved

_MODULES = (EntryGroup.LAYER, EntryGroup.BLOCK)
_MADE = (*_MODULES, EntryGroup.TENSOR)


class Parts:
    """The nodes that are written, in the order of computation.

    ``resolved`` holds the numbers for "auto" by the id of the node; ``complete`` are the blocks
    that can be written. Of the model itself the inputs are ``Input`` nodes, of a block
    ``BlockInput`` nodes.
    """

    def __init__(
        self,
        graph: Graph,
        resolved: Mapping[str, Mapping[str, Value]],
        complete: Container[str],
        *,
        is_block: bool,
    ) -> None:
        self.graph = graph = without_stray_wires(graph)
        self._complete = complete
        self._ends = (BLOCK_INPUT, BLOCK_OUTPUT) if is_block else (INPUT, OUTPUT)
        self.edges = incoming_by_node(graph)
        self.entries: dict[str, Entry] = {}
        self.values: dict[str, dict[str, Value]] = {}
        outputs = [node.id for node in graph.nodes.values() if node.type == self._ends[1]]
        is_whole = not outputs or graph.style is BlockStyle.SWITCH  # a branch waits to be chosen
        wanted = frozenset(graph.nodes) if is_whole else _with_owners(graph, outputs)
        self.written = self._choose(wanted, resolved)
        self.inputs = [
            node.id
            for node in graph.nodes.values()
            if node.id in self.entries and node.type == self._ends[0]
        ]
        self.outputs = [node_id for node_id in outputs if node_id in self.entries]
        self.is_complete = bool(outputs) and wanted <= self.entries.keys()

    def _choose(
        self, wanted: Container[str], resolved: Mapping[str, Mapping[str, Value]]
    ) -> list[str]:
        """Return the nodes that can be written, in order. The owner of a shared module may come
        after those that call it: while one cannot be written, neither can they.
        """
        refused: set[str] = set()
        while True:
            self.entries.clear()
            written = [
                node.id
                for node in map(self.graph.nodes.__getitem__, order(self.graph))
                if (node.id in wanted or node.type == self._ends[0])
                and node.id not in refused
                and self._can_write(node, resolved.get(node.id, {}))
            ]
            owners = {node_id: self.graph.nodes[node_id].shares for node_id in written}
            orphans = {key for key, owner in owners.items() if owner and owner not in self.entries}
            if not orphans:
                return written
            refused |= orphans

    def _can_write(self, node: Node, resolved: Mapping[str, Value]) -> bool:
        entry = entry_of(self.graph, node)
        owner = self.graph.nodes.get(node.shares, node)
        if entry is None or param_problems(owner, entry) or not self._has_module(node, entry):
            return False
        if initial_problems(self.graph, node):
            return False
        edges = self.edges[node.id]
        if missing_inputs(node, entry, edges) or not self._has_good_wires(entry, edges):
            return False
        values = complete_params(entry, owner.params, resolved)
        if unresolved(entry, values):
            return False
        self.entries[node.id] = entry
        self.values[node.id] = values
        return True

    def _has_module(self, node: Node, entry: Entry) -> bool:
        if entry.group is EntryGroup.BLOCK and block_name(node) not in self._complete:
            return False
        if entry.group is EntryGroup.IO and node.type not in self._ends:
            return False
        owner = self.graph.nodes.get(node.shares)
        return not node.shares or (owner is not None and owner.type == node.type)

    def _has_good_wires(self, entry: Entry, edges: Iterable[Edge]) -> bool:
        edges = tuple(edges)
        names = [edge.target_port for edge in edges]
        known = {port.name for port in wired_inputs(entry, edges)}
        return len(set(names)) == len(names) and all(
            edge.source in self.entries
            and edge.target_port in known
            and any(port.name == edge.source_port for port in self.outputs_of(edge.source))
            for edge in edges
        )

    def outputs_of(self, node_id: str) -> tuple[PortSpec, ...]:
        """Return the output ports of a node that is written."""
        return self.entries[node_id].output_ports(self.graph.nodes[node_id].params)

    def made(self) -> list[str]:
        """Return what is made in ``__init__``: layers, blocks and tensors, in the order of the
        nodes.
        """
        return [
            node_id
            for node_id in self.written
            if self.entries[node_id].group in _MADE and not self.graph.nodes[node_id].shares
        ]

    def is_module(self, node_id: str) -> bool:
        """Return whether a node is called as a module, not as a function."""
        return self.entries[node_id].group in _MODULES

    def is_listed(self, node_id: str) -> bool:
        """Return whether a node can stand in a list of modules: it makes one of its own."""
        return self.is_module(node_id) and not self.graph.nodes[node_id].shares

    def is_tensor(self, node_id: str) -> bool:
        """Return whether a node is a tensor of the model, read as an attribute."""
        return self.entries[node_id].group is EntryGroup.TENSOR


def _with_owners(graph: Graph, outputs: Iterable[str]) -> frozenset[str]:
    """Return what outputs need: what leads there, and the same of the owners of its modules."""
    wanted = ancestors(graph, outputs)
    while True:
        owners = {graph.nodes[node_id].shares for node_id in wanted} & graph.nodes.keys() - wanted
        if not owners:
            return wanted
        wanted |= ancestors(graph, owners)
