"""Another number of channels or features at a layer, with all that has to be the same: what is
added to it, and layers that work on each channel alone. What follows finds out by itself ("auto").
"""

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from engine.catalog.spec import AUTO, EntryGroup, Value
from engine.graph.block import SEPARATOR, entry_of, node_at, place_name
from engine.graph.code import CODE_PREFIX
from engine.graph.edit.head import size_param
from engine.graph.error import GraphError
from engine.graph.expand import Flat, expand, is_first_copy, place_of
from engine.graph.index import index_of
from engine.graph.model import Edge, Graph, Node
from engine.graph.node_state.freezing import weights_owner

_EACH = frozenset(
    {"Activation function", "Resize and pool", "Type and copy", "Arithmetic", "Comparison"}
)
"""Categories of operators that leave the channels as they are, or need the same at all inputs."""
_MOVED = frozenset({"permute", "transpose", "movedim", "contiguous", "flip", "roll"})
"""Operators that put the axes, or what is along them, in another order."""
_OTHER_SHAPE = frozenset(
    {"Flatten", "Unflatten", "Fold", "Unfold", "PixelShuffle", "PixelUnshuffle"}
)
_RECURRENT = ("LSTM", "GRU", "RNN", "LSTMCell", "GRUCell", "RNNCell", "Bilinear")
Owner = tuple[str, str]  # the block that a node is written in (empty: the model) and its id there


class SetWidth(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Give a layer another number of channels or features, and all that must have the same."""

    place: str
    size: int


def set_width(edit: SetWidth, graph: Graph) -> Graph:
    """Return the graph after the edit. Raises :class:`GraphError`, as :func:`widths` does."""
    if edit.size < 1:
        raise GraphError.of("G128", text=edit.size)
    search = _Search(graph, edit.place)
    for owner, param in search.sized.items():
        graph = _with_params(graph, owner, {param: edit.size})
    for owner in search.grouped:
        graph = _with_params(graph, owner, {"groups": edit.size})
    for owner, names in search.followers.items():
        graph = _with_params(graph, owner, dict.fromkeys(names, AUTO))
    return graph


def widths(graph: Graph, node_path: str) -> tuple[str, ...]:
    """Return the layers whose number changes with that of the layer at a place, in words, without
    the layer itself.

    Raises :class:`GraphError` where it has no such number, or one of them cannot be changed.
    """
    search = _Search(graph, node_path)
    return tuple(place_name(graph, path) for path in search.places if path != node_path)


def width_of(graph: Graph, node_path: str) -> int:
    """Return how many channels or features the layer at a place gives; 1 where that is unknown."""
    located = node_at(graph, node_path)
    if located is None:
        return 1
    level, node = located
    owner = weights_owner(level, node)
    value = owner.params.get(size_param(level, owner))
    return value if isinstance(value, int) else 1


class _Search:
    """All nodes whose number of channels is that of the layer at a place."""

    def __init__(self, graph: Graph, node_path: str) -> None:
        self._graph = graph
        self._whole: Flat = expand(graph)
        self._flat = self._whole.graph
        index = index_of(self._flat)
        self._by_source, self._by_target = index.by_source, index.by_target
        self._users: dict[Owner, list[str]] = {}
        for path in self._flat.nodes:
            self._users.setdefault(self._owner(path), []).append(path)
        self.sized: dict[Owner, str] = {}
        self.grouped: dict[Owner, None] = {}
        self.followers: dict[Owner, list[str]] = {}
        self.places: dict[str, None] = {}
        self._seen: set[str] = set()
        self._waiting: list[str] = []
        node = self._flat.nodes.get(node_path)
        if node is None or not size_param(self._flat, node):
            located = node_at(graph, node_path)
            name = located[1].name if located is not None else node_path
            raise GraphError.of("G124", node=node_path, name=name)
        self._start = node.name
        self._size = node.params.get(size_param(self._flat, node))
        self._take(node_path)
        while self._waiting:
            self._look(self._waiting.pop())

    def _owner(self, path: str) -> Owner:
        """Return where a node is written: the block that it is in, or the model."""
        entry = entry_of(self._flat, self._flat.nodes[path])
        if entry is not None and entry.weights:  # else a shared module asks for nothing
            path = self._whole.tied.get(path, path)
        above, _, node_id = path.rpartition(SEPARATOR)
        return self._whole.owners.get(above, ""), place_of(node_id)

    def _take(self, path: str) -> None:
        """Take a node into the group, and all that are written at the same place."""
        for other in self._users.get(self._owner(path), (path,)):
            if other not in self._seen:
                self._seen.add(other)
                self._waiting.append(other)

    def _look(self, path: str) -> None:
        node = self._flat.nodes[path]
        param = size_param(self._flat, node)
        is_depthwise = _is_depthwise(node)
        if param:
            self.sized[self._owner(path)] = param
            if is_first_copy(path):
                self.places.setdefault(path)
            if is_depthwise:
                self.grouped.setdefault(self._owner(path))
        elif not _keeps(self._flat, node):
            self._refuse(node)
        if not param or is_depthwise:
            for edge in self._by_target.get(path, ()):
                self._take(edge.source)
        for edge in self._by_source.get(path, ()):
            self._follow(edge)

    def _follow(self, edge: Edge) -> None:
        """Look at what a value of the group goes into."""
        node = self._flat.nodes[edge.target]
        if _is_depthwise(node) or (not size_param(self._flat, node) and _keeps(self._flat, node)):
            self._take(edge.target)
        elif self._has_size(edge.target):
            self._refuse(node, "G131")
        for path in (edge.target, *self._behind(edge.target)):
            self._loosen(path)

    def _has_size(self, path: str) -> bool:
        """Return whether the number is written down in own code's form, or in the shape of a
        parameter that goes into the same node: nobody can say what it would have to be.
        """
        node = self._flat.nodes[path]
        settings = node.params.values() if node.type.startswith(CODE_PREFIX) else ()
        held = (self._flat.nodes[edge.source] for edge in self._by_target.get(path, ()))
        shapes = (one.params.get("shape") for one in held if one.type == "Parameter")
        values = [value for value in (*settings, *shapes) if not isinstance(value, bool)]
        return any(
            self._size in (value if isinstance(value, tuple) else (value,)) for value in values
        )

    def _behind(self, path: str) -> Iterator[str]:
        """Yield the layers behind nodes that make other numbers of it, such as a Flatten."""
        waiting, seen = [path], {path}
        for node_path in waiting:
            node = self._flat.nodes[node_path]
            entry = entry_of(self._flat, node)
            if entry is None or entry.weights or _keeps(self._flat, node):
                continue
            for edge in self._by_source.get(node_path, ()):
                if edge.target not in seen:
                    seen.add(edge.target)
                    waiting.append(edge.target)
                    yield edge.target

    def _loosen(self, path: str) -> None:
        """Have a layer find out by itself what arrives, where it has a number for that."""
        node = self._flat.nodes[path]
        entry = entry_of(self._flat, node)
        names = [
            spec.name
            for spec in (entry.params if entry is not None else ())
            if spec.auto and node.params.get(spec.name, AUTO) != AUTO
        ]
        if names:
            self.followers[self._owner(path)] = names

    def _refuse(self, node: Node, code: str = "G125") -> None:
        raise GraphError.of(
            code,
            node=place_of(node.id),
            name=self._start,
            others=place_name(self._graph, place_of(node.id)) or node.name,
        )


def _is_depthwise(node: Node) -> bool:
    """Return whether a convolution works on each channel alone: as many groups as channels."""
    groups = node.params.get("groups", 1)
    return isinstance(groups, int) and groups > 1 and groups == node.params.get("out_channels")


def _keeps(graph: Graph, node: Node) -> bool:
    """Return whether as many channels come out of a node as go in, at all of its inputs; they may
    be another axis.
    """
    entry = entry_of(graph, node)
    if entry is None or entry.key in _OTHER_SHAPE or entry.key in _RECURRENT:
        return False
    if entry.group is EntryGroup.OPERATOR:
        return entry.category in _EACH or entry.key in _MOVED
    return entry.group is EntryGroup.LAYER and not size_param(graph, node) and bool(entry.inputs)


def _with_params(graph: Graph, owner: Owner, params: dict[str, Value]) -> Graph:
    name, node_id = owner
    block = graph.blocks.get(name) if name else None
    nodes = graph.nodes if block is None else block.nodes
    node = nodes[node_id]
    changed = {**nodes, node_id: replace(node, params={**node.params, **params})}
    if block is None:
        return replace(graph, nodes=changed)
    return replace(graph, blocks={**graph.blocks, name: replace(block, nodes=changed)})
