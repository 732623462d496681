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

from engine.graph.block import body, type_entry
from engine.graph.check import check
from engine.graph.codec import from_document, from_text, to_document, to_text
from engine.graph.edit.annotation import (
    AddAnnotations,
    ChangeAnnotations,
    CollapseNodes,
    PaintNodes,
)
from engine.graph.edit.block_edits import (
    DescribeBlock,
    GroupNodes,
    RenameBlock,
    SetRepeat,
    ShareModule,
    UngroupNode,
)
from engine.graph.edit.code_edits import RemoveCode, RenameCode, SetCode
from engine.graph.edit.edits import (
    AddNode,
    Connect,
    Disconnect,
    Edit,
    EditBlock,
    InsertFragment,
    MoveNodes,
    PinNodes,
    RemoveNodes,
    RenameNode,
    SetParam,
    apply,
)
from engine.graph.edit.switch import ChooseBranch, MakeSwitch
from engine.graph.error import GraphError
from engine.graph.expand import expand
from engine.graph.history import History
from engine.graph.model import Annotation, AnnotationKind, BlockStyle, Edge, Graph, Initial
from engine.graph.node_state.bypass import BypassNodes
from engine.graph.node_state.freezing import FreezeNodes
from engine.graph.node_state.initialization import SetInitial
from engine.graph.node_state.mute import MuteNodes
from engine.graph.query import input_ports, make_node, order, output_ports

NAMES = ["a", "b", "class", "", "conv1", "x y", "a.1", "2", "a-b"]
KEYS = ("Input", "Output", "ReLU", "Linear", "add", "cat", "LSTM", "Dropout")
FILES = ("own.py", "more.py")
TEXTS = (
    "",
    "def half(x):\n    return x / 2\n",
    "def half(x, y, *, by=2):\n    return x / by + y\n",
    "from own import half\n\n\ndef ones_more_(tensor):\n    tensor.add_(1)\n",
    "def half(:",
)
BEGINNINGS = (
    None,
    Initial(type="zeros_"),
    Initial(type="xavier_normal_", params={"gain": 2.0}),
    Initial(type="code.own.ones_more_"),
)


class Editing(RuleBasedStateMachine):
    @initialize()
    def start(self) -> None:
        self.history = History(Graph())
        self.model = [self.bytes()]
        self.place = 0
        self.block = ""

    def bytes(self) -> bytes:
        return msgspec.json.encode(to_document(self.history.present))

    def edit(self, edit: Edit) -> None:
        if self.block in self.history.present.blocks:
            edit = EditBlock(block=self.block, edit=edit)
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

    def here(self) -> Graph:
        """Return the inside of the block that is entered while it is there, else the model."""
        graph = self.history.present
        return body(graph, graph.blocks[self.block]) if self.block in graph.blocks else graph

    def pick(self, number: int) -> str:
        ids = list(self.here().nodes)
        return ids[number % len(ids)] if ids else "nobody"

    @rule(key=st.sampled_from(KEYS))
    def add(self, key: str) -> None:
        self.edit(AddNode(node=make_node(self.here(), key)))

    @rule(a=st.integers(0, 99), b=st.integers(0, 99))
    def remove(self, a: int, b: int) -> None:
        self.edit(RemoveNodes(ids=(self.pick(a), self.pick(b))))

    @rule(a=st.integers(0, 99), x=st.floats(-100, 100))
    def move(self, a: int, x: float) -> None:
        self.edit(MoveNodes(positions={self.pick(a): (x, -x)}))

    @rule(a=st.integers(0, 99), b=st.integers(0, 99))
    def switch(self, a: int, b: int) -> None:
        name = f"Switch{len(self.history.present.blocks)}"
        self.edit(MakeSwitch(ids=(self.pick(a), self.pick(b)), name=name))

    @rule(a=st.integers(0, 99), b=st.integers(0, 99))
    def choose(self, a: int, b: int) -> None:
        blocks = list(self.history.present.blocks)
        if blocks:
            name = blocks[a % len(blocks)]
            inside = list(self.history.present.blocks[name].nodes) or ["nobody"]
            self.edit(ChooseBranch(block=name, branch=inside[b % len(inside)]))

    @rule(a=st.integers(0, 99), pinned=st.booleans())
    def pin(self, a: int, pinned: bool) -> None:
        self.edit(PinNodes(ids=(self.pick(a),), pinned=pinned))

    @rule(a=st.integers(0, 99), name=st.sampled_from(NAMES))
    def rename(self, a: int, name: str) -> None:
        self.edit(RenameNode(id=self.pick(a), name=name))

    @rule(a=st.integers(0, 99), name=st.sampled_from(["p", "dim", "other"]),
          value=st.sampled_from([None, 0, 0.5, "auto", (1, 2), True]))  # fmt: skip
    def set_param(self, a: int, name: str, value: object) -> None:
        self.edit(SetParam(id=self.pick(a), name=name, value=value))  # pyright: ignore[reportArgumentType]

    @rule(a=st.integers(0, 99), b=st.integers(0, 99), p=st.integers(0, 9), q=st.integers(0, 9))
    def connect(self, a: int, b: int, p: int, q: int) -> None:
        graph = self.here()
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

    @precondition(lambda self: self.here().edges)
    @rule(a=st.integers(0, 99))
    def disconnect(self, a: int) -> None:
        edges = self.here().edges
        self.edit(Disconnect(edges=(edges[a % len(edges)],)))

    @precondition(lambda self: len(self.here().nodes) < 30)
    @rule(a=st.integers(0, 99), b=st.integers(0, 99))
    def paste(self, a: int, b: int) -> None:
        if not self.here().nodes:
            return
        text = to_text(self.here(), [self.pick(a), self.pick(b)])
        self.edit(InsertFragment(fragment=from_text(text), offset=(5.0, 5.0)))

    @rule(a=st.integers(0, 99), b=st.integers(0, 99), name=st.sampled_from(["A", "B", "C"]))
    def group(self, a: int, b: int, name: str) -> None:
        self.edit(GroupNodes(ids=tuple({self.pick(a), self.pick(b)}), name=name))

    @rule(a=st.integers(0, 99))
    def ungroup(self, a: int) -> None:
        self.edit(UngroupNode(id=self.pick(a)))

    @rule(name=st.sampled_from(["A", "B", "C", ""]))
    def enter(self, name: str) -> None:
        self.block = name

    @rule(name=st.sampled_from(["A", "B", "C"]))
    def use(self, name: str) -> None:
        if name in self.here().blocks:
            self.edit(AddNode(node=make_node(self.here(), f"block.{name}")))

    @rule(a=st.integers(0, 99), count=st.integers(0, 4), tied=st.booleans())
    def repeat(self, a: int, count: int, tied: bool) -> None:
        self.edit(SetRepeat(id=self.pick(a), repeat=count, tied=tied))

    @rule(a=st.integers(0, 99), b=st.integers(0, 99))
    def share(self, a: int, b: int) -> None:
        self.edit(ShareModule(id=self.pick(a), source=self.pick(b) if a != b else ""))

    @rule(name=st.sampled_from(["A", "B", "C"]), other=st.sampled_from(["A", "C", "D", "x y"]))
    def rename_block(self, name: str, other: str) -> None:
        if self.block not in self.history.present.blocks:
            self.edit(RenameBlock(name=name, new_name=other))

    @rule(name=st.sampled_from(["A", "B", "C"]), style=st.sampled_from(BlockStyle))
    def describe_block(self, name: str, style: BlockStyle) -> None:
        if self.block not in self.history.present.blocks and style is not BlockStyle.SWITCH:
            self.edit(DescribeBlock(name=name, style=style))

    @rule(a=st.integers(0, 99), b=st.integers(0, 99), on=st.booleans())
    def skip(self, a: int, b: int, on: bool) -> None:
        self.edit(BypassNodes(ids=(self.pick(a), self.pick(b)), bypassed=on))

    @rule(a=st.integers(0, 99), b=st.integers(0, 99), on=st.booleans())
    def mute(self, a: int, b: int, on: bool) -> None:
        self.edit(MuteNodes(ids=(self.pick(a), self.pick(b)), muted=on))

    @rule(a=st.integers(0, 99), on=st.booleans())
    def freeze(self, a: int, on: bool) -> None:
        self.edit(FreezeNodes(ids=(self.pick(a),), frozen=on))

    @rule(a=st.integers(0, 99), weight=st.sampled_from(["weight", "bias", "weight_hh"]),
          initial=st.sampled_from(BEGINNINGS))  # fmt: skip
    def begin(self, a: int, weight: str, initial: Initial | None) -> None:
        self.edit(SetInitial(ids=(self.pick(a),), weight=weight, initial=initial))

    @rule(a=st.integers(0, 99), color=st.sampled_from(["", "red"]), on=st.booleans())
    def dress(self, a: int, color: str, on: bool) -> None:
        self.edit(PaintNodes(ids=(self.pick(a),), color=color))
        self.edit(CollapseNodes(ids=(self.pick(a),), collapsed=on))

    @rule(kind=st.sampled_from(AnnotationKind), number=st.integers(1, 3), text=st.text(max_size=5))
    def annotate(self, kind: AnnotationKind, number: int, text: str) -> None:
        made = Annotation(id=f"{kind}.{number}", kind=kind, text=text)
        known = made.id in self.here().annotations
        edit = ChangeAnnotations if known else AddAnnotations
        self.edit(edit(annotations=(made,)))

    @rule(kind=st.sampled_from(AnnotationKind), number=st.integers(1, 3))
    def remove_annotation(self, kind: AnnotationKind, number: int) -> None:
        self.edit(RemoveNodes(ids=(f"{kind}.{number}",)))

    @rule(file=st.sampled_from(FILES), text=st.sampled_from(TEXTS))
    def write(self, file: str, text: str) -> None:
        self.edit(SetCode(file=file, text=text))

    @rule(file=st.sampled_from(FILES), other=st.sampled_from(["", *FILES]))
    def move_code(self, file: str, other: str) -> None:
        self.edit(RenameCode(file=file, new_file=other) if other else RemoveCode(file=file))

    @rule(file=st.sampled_from(FILES))
    def use_code(self, file: str) -> None:
        key = f"code.{file.removesuffix('.py')}.half"
        if type_entry(self.here(), key) is not None:
            self.edit(AddNode(node=make_node(self.here(), key)))

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
        for level in [graph, *(body(graph, block) for block in graph.blocks.values())]:
            names = [node.name for node in level.nodes.values()]
            assert len(set(names)) == len(names)
            assert len(order(level)) == len(level.nodes)
            inputs = [(edge.target, edge.target_port) for edge in level.edges]
            assert len(set(inputs)) == len(inputs)
            assert all(e.source in level.nodes and e.target in level.nodes for e in level.edges)
        allowed = {"G010", "G023", "G024", "G025", "G026", "G029", "G030", "G031", "G033"}
        allowed |= {"G080", "G081"}  # a list that holds what is no layer, or is called like a node
        allowed |= {"G066", "G068"}  # a block without an output, an Input inside a block
        found = {problem.code for problem in check(graph)}
        if not graph.code:  # what a file says may go while nodes are made from it
            assert found <= allowed
        assert not expand(graph).is_cut

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
