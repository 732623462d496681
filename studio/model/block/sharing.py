"""Weight sharing between nodes: who can share with whom, and its field in the inspector."""

from collections.abc import Iterable, Sequence

from engine.catalog.spec import EntryGroup
from engine.diagnostics import Diagnostic, sentence
from engine.graph.block import entry_of
from engine.graph.model import Graph, Node
from engine.graph.query import order
from studio.i18n import translate
from widgets.forms.view_model import FieldView, GroupView


def lender(graph: Graph, selection: Sequence[str]) -> tuple[Node, Node] | None:
    """Return of two selected nodes the one whose weights the other one uses or can use, and that
    other one. Nothing when they are not two modules of one type.
    """
    nodes = [graph.nodes[node_id] for node_id in selection if node_id in graph.nodes]
    if len(nodes) != 2 or nodes[0].type != nodes[1].type or not _is_module(graph, nodes[0]):
        return None
    places = {node_id: place for place, node_id in enumerate(order(graph))}
    owner, user = sorted(nodes, key=lambda node: places.get(node.id, 0))
    if owner.shares == user.id:
        owner, user = user, owner
    return owner, user


def present_sharing(
    graph: Graph, node: Node, problems: Iterable[Diagnostic], language: str
) -> tuple[GroupView, ...]:
    """Return the field that says whose weights a node uses, where there is a choice."""
    if not _is_module(graph, node):
        return ()
    is_lender = any(other.shares == node.id for other in graph.nodes.values())
    owners = [] if is_lender else _owners(graph, node)
    if not owners and not node.shares:
        return ()
    known = {other.id for other in owners}
    lost = [(node.shares, node.shares)] if node.shares and node.shares not in known else []
    errors = [problem for problem in problems if problem.field == "@shares"]
    field = FieldView(
        name="@shares",
        label=translate("Inspector", "Weights"),
        kind="choice",
        text=node.shares,
        default_text="",
        choices=(
            ("", translate("Inspector", "own")),
            *((other.id, other.name) for other in owners),
            *lost,
        ),
        help=translate(
            "Inspector",
            "The layer whose weights are used. If you choose another layer of the same "
            "type, both use a single module, which has the settings of that layer and is "
            "trained by both uses.",
        ),
        error=sentence(errors[0], language) if errors else "",
        is_modified=bool(node.shares),
    )
    return (GroupView(fields=(field,), title=translate("Inspector", "Shared weights")),)


def _owners(graph: Graph, node: Node) -> list[Node]:
    return [
        other
        for other in graph.nodes.values()
        if other.type == node.type and other is not node and not other.shares and other.repeat == 1
    ]


def _is_module(graph: Graph, node: Node) -> bool:
    entry = entry_of(graph, node)
    return entry is not None and entry.group in (EntryGroup.LAYER, EntryGroup.BLOCK)
