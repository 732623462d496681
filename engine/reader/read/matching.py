"""Matching of the nodes that a text says with those of a graph: by name, then by their edges."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from engine.catalog.spec import EntryGroup
from engine.graph.block import BLOCK_INPUT, BLOCK_OUTPUT, PREFIX, entry_of
from engine.graph.model import Graph, Node
from engine.graph.query import INPUT, OUTPUT, ancestors, incoming
from engine.reader.interpreter.value import Level, Made

_INPUTS = (INPUT, BLOCK_INPUT)
_OUTPUTS = (OUTPUT, BLOCK_OUTPUT)
_TENSORS = ("Parameter", "Buffer", "Constant")


def _idle(graph: Graph) -> set[str]:
    """Return the nodes that lead to no output: layers of a text that lost their name are the last
    that could be one of these.
    """
    ends = [node_id for node_id, node in graph.nodes.items() if node.type in _OUTPUTS]
    return set(graph.nodes) - ancestors(graph, ends)


class Matching:
    """The ids of the nodes of a level, as far as the graph has them: ``ids`` of what the text
    makes, ``outputs`` in the order of what it returns.
    """

    def __init__(self, level: Level, graph: Graph) -> None:
        self._graph = graph
        self._free = dict(graph.nodes)
        self._idle = _idle(graph)
        self.ids: dict[Made, str] = {}
        self._users: dict[Made, list[str]] = {}  # nodes that use the module that is called
        self._match_inputs(level)
        self._match_modules([*level.nodes, *level.idle])
        operators = [made for made in level.nodes if not made.attribute]
        self._match(operators, lambda made, node: made.variable == node.name != "")
        for _ in range(3):
            self._match(level.nodes, self._is_wired_alike)
        self._match(level.nodes, lambda made, node: node.id in self._users.get(made, ()))
        self._match(level.nodes, self._is_alike)
        self._find_owners()
        self.outputs = self._match_outputs(level)

    def _take(self, made: Made, node_id: str) -> None:
        self.ids[made] = node_id
        del self._free[node_id]

    def _match_inputs(self, level: Level) -> None:
        free = [node for node in self._free.values() if node.type in _INPUTS]
        by_name = {node.name: node for node in free}
        rest: list[Made] = []
        for made in level.inputs:
            node = by_name.pop(made.attribute, None)
            if node is None:
                rest.append(made)
            else:
                self._take(made, node.id)
        left = [node for node in free if node.id in self._free]
        if len(rest) == len(left) or len(level.inputs) == len(free):
            for made, node in zip(rest, left, strict=False):
                self._take(made, node.id)

    def _match_modules(self, nodes: Sequence[Made]) -> None:
        owners: dict[str, list[str]] = {}
        for node in self._graph.nodes.values():
            if self._is_module(node):
                name = self._graph.nodes.get(node.shares, node).name
                owners.setdefault(name, []).insert(
                    len(owners.get(name, [])) if node.shares else 0, node.id
                )
        calls = Counter(made.attribute for made in nodes)
        for made in nodes:
            ids = owners.get(made.attribute, []) if made.attribute else []
            if len(ids) > 1 < calls[made.attribute]:
                self._users[made] = ids
            elif ids and (made.shares is None) == (not self._graph.nodes[ids[0]].shares):
                self._take(made, ids.pop(0))

    def _find_owners(self) -> None:
        """Let that call of a module be its owner which is the node that owns it in the graph; in
        the order of the text it may be a later one.
        """
        for made in self._users:
            node = self._graph.nodes[self.ids[made]] if made in self.ids else None
            first = made.shares
            if first is None or node is None or node.shares or first not in self._users:
                continue
            for one in self._users:
                if one is first or one.shares is first:
                    one.shares = None if one is made else made

    def _is_module(self, node: Node) -> bool:
        entry = entry_of(self._graph, node)
        group = EntryGroup.LAYER if entry is None else entry.group
        return group not in (EntryGroup.OPERATOR, EntryGroup.IO)

    def _match(self, nodes: Iterable[Made], is_same: Callable[[Made, Node], bool]) -> None:
        for made in nodes:
            if made in self.ids:
                continue
            free = [*self._free.values()]
            is_lost = made.attribute and made not in self._users
            for node in sorted(free, key=self._is_idle) if is_lost else free:
                if is_same(made, node):
                    self._take(made, node.id)
                    break

    def _is_idle(self, node: Node) -> bool:
        return node.id in self._idle

    def _is_alike(self, made: Made, node: Node) -> bool:
        if made.inside:
            is_kind = node.type.startswith(PREFIX)
        else:
            tensors = _TENSORS[1:] if made.type in _TENSORS[1:] else (made.type,)
            is_kind = node.type in tensors
        return is_kind and (made.shares is None) == (not node.shares)

    def _is_wired_alike(self, made: Made, node: Node) -> bool:
        users = self._users.get(made)
        if node.id not in users if users is not None else not self._is_alike(made, node):
            return False
        sources = {self.ids.get(ref.made, "?") for ref in made.wires.values()}
        return sources == {edge.source for edge in incoming(self._graph, node.id)}

    def _match_outputs(self, level: Level) -> list[str | None]:
        free = [node for node in self._graph.nodes.values() if node.type in _OUTPUTS]
        if len(free) == len(level.outputs):
            return [node.id for node in free]
        node_ids: list[str | None] = []
        for ref in level.outputs:
            source = self.ids.get(ref.made)
            for node in free:
                if any(edge.source == source for edge in incoming(self._graph, node.id)):
                    free.remove(node)
                    node_ids.append(node.id)
                    break
            else:
                node_ids.append(None)
        for number, node_id in enumerate(node_ids):
            if node_id is None and free:
                node_ids[number] = free.pop(0).id
        return node_ids
