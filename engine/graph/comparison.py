"""Two models beside each other: what the second has more, less, or otherwise than the first.

Nodes are the same where their ids are, or else their names; so a model can be compared with an
earlier state of it, with that of a run, and with one of another project.
"""

from enum import StrEnum

import msgspec
from msgspec.structs import replace

from engine.graph.block import body
from engine.graph.model import Block, Edge, Graph, Initial, Node
from engine.graph.naming import free_name
from engine.graph.node_state.initialization import initial_text


class GraphDiff(msgspec.Struct, frozen=True, kw_only=True):
    """Ids of nodes that are new, gone, changed in anything but their place, or only moved or
    pinned, the wires that are new or gone, and the files of code that are new, gone or changed.
    """

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    edges_added: tuple[Edge, ...] = ()
    edges_removed: tuple[Edge, ...] = ()
    code: tuple[str, ...] = ()

    def is_empty(self) -> bool:
        """Return whether the graphs are equal but for the order of their nodes and wires."""
        return self == GraphDiff()

    def is_only_movement(self) -> bool:
        """Return whether nothing but positions and pins differs."""
        return self == GraphDiff(moved=self.moved)


def diff(previous: Graph, after: Graph) -> GraphDiff:
    """Return what was done to ``previous`` to make ``after``; ids in the order of the graphs."""
    if previous is after:
        return GraphDiff()
    changed: list[str] = []
    moved: list[str] = []
    for node_id, new in after.nodes.items():
        old = previous.nodes.get(node_id)
        if old is None or old is new or old == new:
            continue
        same = old.type == new.type and old.name == new.name and old.params == new.params
        same = same and (old.bypassed, old.muted) == (new.bypassed, new.muted)
        same = same and (old.init, old.frozen) == (new.init, new.frozen)
        same = same and old.recompute == new.recompute
        same = same and (old.repeat, old.tied, old.shares) == (new.repeat, new.tied, new.shares)
        (moved if same else changed).append(node_id)
    files = dict.fromkeys([*previous.code, *after.code])
    old_edges, new_edges = set(previous.edges), set(after.edges)
    return GraphDiff(
        added=tuple(node_id for node_id in after.nodes if node_id not in previous.nodes),
        removed=tuple(node_id for node_id in previous.nodes if node_id not in after.nodes),
        changed=tuple(changed),
        moved=tuple(moved),
        edges_added=tuple(edge for edge in after.edges if edge not in old_edges),
        edges_removed=tuple(edge for edge in previous.edges if edge not in new_edges),
        code=tuple(name for name in files if previous.code.get(name) != after.code.get(name)),
    )


_LOOKS = frozenset({"id", "position", "pinned", "color", "collapsed", "params", "init"})
_ROOM = (200.0, 70.0)  # that a node takes


class Mark(StrEnum):
    """What became of a node."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


class Difference(msgspec.Struct, frozen=True):
    """One setting that is otherwise; empty where it is as PyTorch has it, or is not there."""

    field: str
    before: str
    after: str


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a node. ``node`` is its id in :attr:`LevelComparison.both`."""

    mark: Mark
    node: str
    name: str
    type: str
    differences: tuple[Difference, ...] = ()


class LevelComparison(msgspec.Struct, frozen=True, kw_only=True):
    """The model itself or the inside of a block. ``both`` holds the nodes and wires of the second
    graph, and those that only the first has.
    """

    both: Graph
    changes: tuple[Change, ...]
    added: frozenset[Edge]
    removed: frozenset[Edge]

    def marks(self) -> dict[str, Mark]:
        """Return what became of nodes, by id; those that stayed are left out."""
        return {change.node: change.mark for change in self.changes}

    def is_same(self) -> bool:
        """Return whether nothing but places and looks differs."""
        return not (self.changes or self.added or self.removed)


def compare(previous: Graph, after: Graph) -> dict[str, LevelComparison]:
    """Return the comparison of the model (``""``) and of each block that one of both has."""
    names = dict.fromkeys(["", *after.blocks, *previous.blocks])
    return {name: _compared(_inside(previous, name), _inside(after, name)) for name in names}


def _inside(graph: Graph, name: str) -> Graph:
    return body(graph, graph.blocks.get(name, Block())) if name else graph


def _compared(previous: Graph, after: Graph) -> LevelComparison:
    previous = aligned(previous, after)
    difference = diff(replace(previous, code={}), replace(after, code={}))
    gone = {node_id: previous.nodes[node_id] for node_id in difference.removed}
    both = Graph(
        nodes={**after.nodes, **_beside(gone, after)},
        edges=(*after.edges, *difference.edges_removed),
        blocks={**previous.blocks, **after.blocks},
        code={**previous.code, **after.code},
        style=after.style,
    )
    changes = [_change(Mark.ADDED, after.nodes[node_id]) for node_id in difference.added]
    for node_id in difference.changed:
        old, new = previous.nodes[node_id], after.nodes[node_id]
        if differences := tuple(_differences(old, new)):
            changes.append(replace(_change(Mark.CHANGED, new), differences=differences))
    changes += [_change(Mark.REMOVED, node) for node in gone.values()]
    return LevelComparison(
        both=both,
        changes=tuple(changes),
        added=frozenset(difference.edges_added),
        removed=frozenset(difference.edges_removed),
    )


def aligned(previous: Graph, after: Graph) -> Graph:
    """Return the first graph with the ids that its nodes have in the second."""
    ids = _partners(previous, after)
    taken = {*after.nodes, *ids.values()}
    for node_id in previous.nodes:
        if node_id not in ids:
            ids[node_id] = free_name(node_id, taken)
            taken.add(ids[node_id])
    nodes = {
        ids[node.id]: replace(node, id=ids[node.id], shares=ids.get(node.shares, node.shares))
        for node in previous.nodes.values()
    }
    edges = tuple(
        replace(edge, source=ids.get(edge.source, edge.source), target=ids[edge.target])
        for edge in previous.edges
        if edge.target in ids
    )
    return replace(previous, nodes=nodes, edges=edges)


def _partners(previous: Graph, after: Graph) -> dict[str, str]:
    """Return for nodes of the first graph the ids of the same nodes in the second."""
    partners: dict[str, str] = {}
    for node_id, node in previous.nodes.items():
        other = after.nodes.get(node_id)
        if other is not None and (other.type == node.type or other.name == node.name):
            partners[node_id] = node_id
    free = {n.name: n.id for n in after.nodes.values() if n.id not in partners.values()}
    for node_id, node in previous.nodes.items():
        if node_id not in partners and node.name in free:
            partners[node_id] = free.pop(node.name)
    return partners


def _beside(gone: dict[str, Node], after: Graph) -> dict[str, Node]:
    """Return nodes that are gone, moved down to where they hide none of the others."""
    taken = [node.position for node in after.nodes.values()]
    placed: dict[str, Node] = {}
    for node_id, node in gone.items():
        x, y = node.position
        while any(abs(x - a) < _ROOM[0] and abs(y - b) < _ROOM[1] for a, b in taken):
            y += _ROOM[1]
        taken.append((x, y))
        placed[node_id] = replace(node, position=(x, y))
    return placed


def _change(mark: Mark, node: Node) -> Change:
    return Change(mark=mark, node=node.id, name=node.name, type=node.type)


def _differences(old: Node, new: Node) -> list[Difference]:
    differences = [
        Difference(name, _text(getattr(old, name)), _text(getattr(new, name)))
        for name in old.__struct_fields__
        if name not in _LOOKS and getattr(old, name) != getattr(new, name)
    ]
    for values, others, prefix in (
        (old.params, new.params, ""),
        (old.init, new.init, "init."),
    ):
        for name in dict.fromkeys([*values, *others]):
            if values.get(name) != others.get(name):
                pair = _text(values.get(name, "")), _text(others.get(name, ""))
                differences.append(Difference(f"{prefix}{name}", *pair))
    return differences


def _text(value: object) -> str:
    if isinstance(value, Initial):
        return initial_text(value)
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return str(value)
