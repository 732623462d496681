"""The session: one history for graph and specification, facts that do not flow backwards."""

import msgspec
import pytest

from engine.graph.analysis import Analysis, NodeReport
from engine.graph.edit.edits import AddNode, RemoveNodes, RenameNode
from engine.graph.model import Graph, Node
from studio.session.session import Document, Session

pytestmark = pytest.mark.usefixtures("qapp")


def node(name: str) -> Node:
    return Node(id=name, type="ReLU", name=name)


def test_that_undo_takes_back_graph_and_specification_in_the_order_of_the_changes():
    session = Session()
    session.edit(AddNode(node=node("a")), "add")
    spec = msgspec.structs.replace(session.spec, epochs=3)
    session.change(session.graph, spec, "epochs")
    session.undo()
    assert (len(session.graph.nodes), session.spec.epochs) == (1, 10)
    session.undo()
    assert not session.graph.nodes
    session.redo()
    session.redo()
    assert (len(session.graph.nodes), session.spec.epochs) == (1, 3)


def test_that_typing_in_one_field_is_one_step_until_it_is_sealed():
    session = Session()
    for epochs in (1, 12, 123):
        spec = msgspec.structs.replace(session.spec, epochs=epochs)
        session.change(session.graph, spec, "epochs", merge_key="spec.epochs")
    session.seal()
    spec = msgspec.structs.replace(session.spec, epochs=5)
    session.change(session.graph, spec, "epochs", merge_key="spec.epochs")
    session.undo()
    assert session.spec.epochs == 123
    session.undo()
    assert session.spec.epochs == 10


def test_that_an_edit_inside_a_change_handler_raises(qtbot):
    session = Session()
    session.graph_changed.connect(lambda: session.edit(AddNode(node=node("b")), "add"))
    with qtbot.captureExceptions() as caught:
        session.edit(AddNode(node=node("a")), "add")
    assert [kind for kind, *_ in caught] == [RuntimeError]
    assert list(session.graph.nodes) == ["a"]


def test_that_a_change_that_changes_nothing_is_no_step():
    session = Session()
    session.change(session.graph, session.spec, "nothing")
    assert not session.can_undo


def test_that_loss_terms_follow_the_name_of_an_output(project_path):
    from engine.project import Project

    project = Project.open(project_path)
    session = Session()
    session.open(project, Document(graph=project.graph, spec=project.spec))
    output = next(n for n in session.graph.nodes.values() if n.type == "Output")
    session.edit(RenameNode(id=output.id, name="scores"), "rename")
    assert "model.scores" in session.spec.losses[0].inputs.values()
    assert session.is_modified


def test_that_opening_forgets_history_findings_and_selection():
    session = Session()
    session.edit(AddNode(node=node("a")), "add")
    session.selection = ("a",)
    session.open(None, Document(graph=Graph()))
    assert not session.can_undo
    assert session.selection == ()


def test_that_undo_shows_at_once_what_was_known_of_that_graph():
    session = Session()
    session.edit(AddNode(node=node("a")), "add")
    known = Analysis(nodes={"a": NodeReport(parameters=7)})
    session.find(analysis=known, is_current=True)
    session.edit(RemoveNodes(ids=("a",)), "delete")
    session.find(analysis=Analysis(), is_current=True)
    session.undo()
    assert session.findings.analysis is known
    assert not session.findings.is_current  # the answer is still awaited
    session.open(None, Document())
    assert session.findings.analysis == Analysis()


def test_that_an_answer_equal_to_the_last_is_the_last_one():
    session = Session()
    known = Analysis(nodes={"a": NodeReport(parameters=7)})
    session.find(analysis=known)
    session.find(analysis=Analysis(nodes={"a": NodeReport(parameters=7)}), is_checked=True)
    assert session.findings.analysis is known
