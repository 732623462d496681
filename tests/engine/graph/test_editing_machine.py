"""U02: random edits, undo and redo against a plain list of all documents so far."""

import msgspec
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from engine.graph.check import check
from engine.graph.codec import from_document, from_text, to_document, to_text
from engine.graph.edits import (
    AddNode,
    Connect,
    Disconnect,
    Edit,
    GraphError,
    InsertFragment,
    MoveNodes,
    RemoveNodes,
    RenameNode,
    SetParam,
    apply,
)
from engine.graph.history import History
from engine.graph.model import Edge, Graph
from engine.graph.query import input_ports, make_node, order, output_ports

KEYS = ("Input", "Output", "ReLU", "Linear", "add", "cat", "LSTM", "Dropout")


class Editing(RuleBasedStateMachine):
    @initialize()
    def start(self) -> None:
        self.history = History(Graph())
        self.model = [self.bytes()]
        self.place = 0

    def bytes(self) -> bytes:
        return msgspec.json.encode(to_document(self.history.present))

    def edit(self, edit: Edit) -> None:
        before = self.bytes()
        try:
            graph = apply(edit, self.history.present)
        except GraphError:
            assert self.bytes() == before
            return
        if graph is self.history.present:
            return
        self.history.push(graph, type(edit).__name__)
        del self.model[self.place + 1 :]
        self.model.append(self.bytes())
        self.place += 1

    def pick(self, number: int) -> str:
        ids = list(self.history.present.nodes)
        return ids[number % len(ids)] if ids else "nobody"

    @rule(key=st.sampled_from(KEYS))
    def add(self, key: str) -> None:
        self.edit(AddNode(node=make_node(self.history.present, key)))

    @rule(a=st.integers(0, 99), b=st.integers(0, 99))
    def remove(self, a: int, b: int) -> None:
        self.edit(RemoveNodes(ids=(self.pick(a), self.pick(b))))

    @rule(a=st.integers(0, 99), x=st.floats(-100, 100))
    def move(self, a: int, x: float) -> None:
        self.edit(MoveNodes(positions={self.pick(a): (x, -x)}))

    @rule(a=st.integers(0, 99), name=st.sampled_from(["a", "b", "class", "", "conv1", "x y"]))
    def rename(self, a: int, name: str) -> None:
        self.edit(RenameNode(id=self.pick(a), name=name))

    @rule(a=st.integers(0, 99), name=st.sampled_from(["p", "dim", "other"]),
          value=st.sampled_from([None, 0, 0.5, "auto", (1, 2), True]))  # fmt: skip
    def set_param(self, a: int, name: str, value: object) -> None:
        self.edit(SetParam(id=self.pick(a), name=name, value=value))  # pyright: ignore[reportArgumentType]

    @rule(a=st.integers(0, 99), b=st.integers(0, 99), p=st.integers(0, 9), q=st.integers(0, 9))
    def connect(self, a: int, b: int, p: int, q: int) -> None:
        graph = self.history.present
        source, target = graph.nodes.get(self.pick(a)), graph.nodes.get(self.pick(b))
        if source is None or target is None:
            return
        outputs = [port.name for port in output_ports(graph, source)] or ["banana"]
        inputs = [port.name for port in input_ports(graph, target)] or ["banana"]
        edge = Edge(
            source=source.id,
            source_port=outputs[p % len(outputs)],
            target=target.id,
            target_port=inputs[q % len(inputs)],
        )
        self.edit(Connect(edge=edge))

    @precondition(lambda self: self.history.present.edges)
    @rule(a=st.integers(0, 99))
    def disconnect(self, a: int) -> None:
        edges = self.history.present.edges
        self.edit(Disconnect(edges=(edges[a % len(edges)],)))

    @precondition(lambda self: len(self.history.present.nodes) < 30)
    @rule(a=st.integers(0, 99), b=st.integers(0, 99))
    def paste(self, a: int, b: int) -> None:
        if not self.history.present.nodes:
            return
        text = to_text(self.history.present, [self.pick(a), self.pick(b)])
        self.edit(InsertFragment(fragment=from_text(text), offset=(5.0, 5.0)))

    @rule()
    def undo(self) -> None:
        self.history.undo()
        self.place = max(self.place - 1, 0)

    @rule()
    def redo(self) -> None:
        self.history.redo()
        self.place = min(self.place + 1, len(self.model) - 1)

    @invariant()
    def agrees_with_the_model(self) -> None:
        assert self.bytes() == self.model[self.place]
        assert self.history.can_undo == (self.place > 0)
        assert self.history.can_redo == (self.place + 1 < len(self.model))

    @invariant()
    def is_consistent(self) -> None:
        graph = self.history.present
        assert from_document(to_document(graph)) == graph
        names = [node.name for node in graph.nodes.values()]
        assert len(set(names)) == len(names)
        assert len(order(graph)) == len(graph.nodes)
        inputs = [(edge.target, edge.target_port) for edge in graph.edges]
        assert len(set(inputs)) == len(inputs)
        allowed = {"G010", "G023", "G024", "G025", "G026", "G029", "G030", "G031", "G033"}
        assert {problem.code for problem in check(graph)} <= allowed

    def teardown(self) -> None:
        if hasattr(self, "model"):
            while self.history.can_undo:
                self.history.undo()
            assert self.bytes() == self.model[0]


@pytest.mark.fault("U02")
def test_that_any_edits_undone_give_back_the_first_document() -> None:
    run_state_machine_as_test(
        Editing, settings=settings(max_examples=30, stateful_step_count=40, deadline=None)
    )


@pytest.mark.nightly
@pytest.mark.fault("U02")
def test_that_ten_thousand_edits_undone_give_back_the_first_document() -> None:
    run_state_machine_as_test(
        Editing, settings=settings(max_examples=100, stateful_step_count=100, deadline=None)
    )
