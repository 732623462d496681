"""Two models beside each other: what is new, gone and otherwise, with the ids led together."""

from msgspec.structs import replace

from engine.graph.comparison import Difference, Mark, compare
from engine.graph.edit.block_edits import GroupNodes
from engine.graph.edit.edits import (
    Connect,
    Disconnect,
    EditBlock,
    MoveNodes,
    RemoveNodes,
    RenameNode,
    SetParam,
    apply,
)
from engine.graph.model import Edge, Graph, Initial
from engine.graph.node_state.initialization import SetInitial
from tests.engine.graph.builder import add, model, wire


def net(width: int = 8) -> Graph:
    return model(
        (4,),
        ("Linear", {"out_features": width}, "hidden"),
        ("ReLU", {}, "act"),
        ("Linear", {"out_features": 3}, "head"),
    )


def marks(before: Graph, after: Graph, level: str = "") -> dict[str, Mark]:
    return compare(before, after)[level].marks()


def test_that_equal_models_differ_in_nothing_wherever_their_nodes_lie() -> None:
    moved = apply(MoveNodes(positions={"act": (500.0, 20.0)}), net())
    found = compare(net(), moved)
    assert found[""].is_same()
    assert marks(net(), net()) == {}


def test_that_a_changed_node_says_what_is_otherwise() -> None:
    after = apply(RenameNode(id="head", name="scores"), net(16))
    edit = SetInitial(ids=("head",), weight="bias", initial=Initial(type="zeros_"))
    after = apply(edit, after)
    changes = {change.node: change for change in compare(net(), after)[""].changes}
    assert changes["hidden"].differences == (Difference("out_features", "8", "16"),)
    assert changes["head"].differences == (
        Difference("name", "head", "scores"),
        Difference("init.bias", "", "zeros_()"),
    )
    assert {change.mark for change in changes.values()} == {Mark.CHANGED}


def test_that_new_and_lost_nodes_stand_together_and_hide_each_other_nowhere() -> None:
    after = apply(RemoveNodes(ids=("act",)), net())
    after, _ = add(after, "Tanh", "bend")
    after = wire(wire(after, "hidden", "bend"), "bend", "head")
    position = net().nodes["act"].position
    after = apply(MoveNodes(positions={"bend": position}), after)
    found = compare(net(), after)[""]
    assert found.marks() == {"bend": Mark.ADDED, "act": Mark.REMOVED}
    assert found.both.nodes["act"].position != found.both.nodes["bend"].position
    assert len(found.added) == len(found.removed) == 2
    assert set(found.both.edges) == set(after.edges) | found.removed


def test_that_nodes_of_another_project_are_known_by_their_names() -> None:
    ids = {node_id: f"other_{node_id}" for node_id in net().nodes}
    nodes = {ids[n.id]: replace(n, id=ids[n.id]) for n in net(16).nodes.values()}
    edges = tuple(replace(e, source=ids[e.source], target=ids[e.target]) for e in net().edges)
    other = Graph(nodes=nodes, edges=edges)
    found = compare(net(), other)[""]
    assert found.marks() == {"other_hidden": Mark.CHANGED}
    assert not found.added
    assert not found.removed


def test_that_an_id_taken_by_another_node_is_not_taken_for_the_same() -> None:
    before = model((4,), ("Linear", {"out_features": 4}, "a"))
    after = model((4,), ("Tanh", {}, "b"))
    after = replace(
        after,
        nodes={"x": after.nodes["x"], "a": replace(after.nodes["b"], id="a"),
               "output": after.nodes["output"]},
        edges=tuple(
            replace(e, source=e.source.replace("b", "a"), target=e.target.replace("b", "a"))
            for e in after.edges
        ),
    )  # fmt: skip
    found = compare(before, after)[""]
    assert found.marks() == {"a": Mark.ADDED, "a2": Mark.REMOVED}
    assert {node.name for node in found.both.nodes.values()} == {"x", "a", "b", "output"}


def test_that_a_wire_laid_elsewhere_is_told() -> None:
    old = Edge(source="act", source_port="output", target="head", target_port="input")
    after = apply(Disconnect(edges=(old,)), net())
    new = Edge(source="hidden", source_port="output", target="head", target_port="input")
    found = compare(net(), apply(Connect(edge=new), after))[""]
    assert (found.added, found.removed, found.changes) == ({new}, {old}, ())


def test_that_blocks_are_compared_inside() -> None:
    before = apply(GroupNodes(ids=("hidden", "act"), name="Body"), net())
    edit = EditBlock(block="Body", edit=SetParam(id="hidden", name="bias", value=False))
    after = apply(edit, before)
    assert marks(before, after) == {}
    assert marks(before, after, "Body") == {"hidden": Mark.CHANGED}
    plain = compare(net(), before)
    assert plain["Body"].marks()["hidden"] is Mark.ADDED
    assert Mark.REMOVED in plain[""].marks().values()
