"""Difference between two graphs."""

import msgspec

from engine.graph.model import Edge, Graph


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


def diff(before: Graph, after: Graph) -> GraphDiff:
    """Return what was done to ``before`` to make ``after``; ids in the order of the graphs."""
    if before is after:
        return GraphDiff()
    changed: list[str] = []
    moved: list[str] = []
    for node_id, new in after.nodes.items():
        old = before.nodes.get(node_id)
        if old is None or old is new or old == new:
            continue
        same = old.type == new.type and old.name == new.name and old.params == new.params
        same = same and (old.bypassed, old.muted) == (new.bypassed, new.muted)
        same = same and (old.init, old.frozen) == (new.init, new.frozen)
        same = same and (old.repeat, old.tied, old.shares) == (new.repeat, new.tied, new.shares)
        (moved if same else changed).append(node_id)
    files = dict.fromkeys([*before.code, *after.code])
    old_edges, new_edges = set(before.edges), set(after.edges)
    return GraphDiff(
        added=tuple(node_id for node_id in after.nodes if node_id not in before.nodes),
        removed=tuple(node_id for node_id in before.nodes if node_id not in after.nodes),
        changed=tuple(changed),
        moved=tuple(moved),
        edges_added=tuple(edge for edge in after.edges if edge not in old_edges),
        edges_removed=tuple(edge for edge in before.edges if edge not in new_edges),
        code=tuple(name for name in files if before.code.get(name) != after.code.get(name)),
    )
