"""The text keeps up with the graph: untouched lines stay to the letter; what runs is shown."""

import difflib
import random

import pytest
import torch
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.catalog.spec import Value
from engine.diagnostics import DiagnosticError
from engine.graph.code import MODEL_FILE
from engine.graph.edit.block_edits import DescribeBlock, GroupNodes, RenameBlock
from engine.graph.edit.edits import (
    AddNode,
    Connect,
    Edit,
    EditBlock,
    RemoveNodes,
    RenameNode,
    SetParam,
    apply,
)
from engine.graph.error import GraphError
from engine.graph.model import BlockStyle, Edge, Graph, Initial
from engine.graph.node_state.freezing import FreezeNodes
from engine.graph.node_state.initialization import SetInitial
from engine.graph.query import make_node
from engine.model.analysis import analyse
from engine.model.module import to_module
from engine.model.source import generate_whole, to_source
from engine.reader.merge.merge import merge
from tests.engine.graph.builder import add, model, wire
from tests.engine.model.test_any_graph import graphs
from tests.engine.reader.test_follow import ANALYSER, plain, typed, written

TEXT = '''\
"""My own model."""

import torch
from torch import nn

WIDTH = 8  # of all


class Net(nn.Module):
    """Looks at a picture."""

    def __init__(self):
        super().__init__()
        # what sees edges
        self.conv1 = nn.Conv2d( 1, WIDTH, 3, padding = 1 )   # same size
        self.act   = nn.ReLU()
        self.conv2 = nn.Conv2d(
            WIDTH,  # in
            4,  # out
            3,
        )

        self.fc = nn.Linear(2704, 10)

    def scaled(self, x):  # a helper
        return x * 0.5

    def forward(self, x):
        # first we look
        x = self.act(self.conv1(x))

        x = self.scaled(x) ; x = self.conv2(x)  # then we look again
        x = x.view(x.size(0), -1)
        return self.fc( x )


def count(net):
    return sum(p.numel() for p in net.parameters())
'''


def picture() -> Graph:
    graph, _ = add(Graph(), "Input", "x", shape=(1, 28, 28))
    return typed(graph, TEXT)


def source(graph: Graph) -> str:
    generated = written(graph)
    assert generated.is_complete, generated.problems
    return generated.source


def changed_lines(before: str, after: str) -> list[str]:
    diff = difflib.ndiff(before.splitlines(), after.splitlines())
    return [line for line in diff if line[0] in "+-"]


def varied(text: str, rnd: random.Random) -> str:
    """Return a text with comments, blank lines and odd spacing at places where they may be."""
    lines: list[str] = []
    for line in text.splitlines():
        is_plain = line.startswith("        ") and line[8] not in " )" and line.endswith(")")
        if is_plain and rnd.random() < 0.4:
            lines += rnd.choice(([], [""], ["        # a comment"], ["", "        # two", ""]))
            line = line.replace(" = ", rnd.choice((" = ", "   =  ", "=")), 1)  # noqa: PLW2901
            line += rnd.choice(("", "  # why", "   "))  # noqa: PLW2901
        lines.append(line)
    return "\n".join(lines) + rnd.choice(("\n", "\n\n# the end\n"))


def edited(graph: Graph, rnd: random.Random) -> Graph:
    """Return the graph after one change such as a user makes."""
    ids = [i for i, node in graph.nodes.items() if node.type not in ("Input", "Output")]
    node_id, kind = rnd.choice(ids), rnd.choice(("rename", "delete", "insert", "rewire", "set"))
    edge, other = rnd.choice(graph.edges), rnd.choice(graph.edges)
    match kind:
        case "rename":
            return apply(RenameNode(id=node_id, name="other"), graph)
        case "delete":
            return apply(RemoveNodes(ids=(node_id,)), graph)
        case "insert":
            node = make_node(graph, rnd.choice(("ReLU", "relu")), params={})
            graph = apply(AddNode(node=node), graph)
            graph = apply(Connect(edge=replace(edge, target=node.id, target_port="input")), graph)
            after = replace(edge, source=node.id, source_port="output")
            return apply(Connect(edge=after), graph)
        case "rewire":
            wire_to = replace(edge, source=other.source, source_port=other.source_port)
            return apply(Connect(edge=wire_to), graph)
        case _:
            params = graph.nodes[node_id].params
            known = {"out_features": 5, "dim": 2, "out_channels": 3, "p": 0.25}
            name = next((one for one in known if one in params), "")
            edit = SetParam(id=node_id, name=name, value=known.get(name))
            return apply(edit, graph) if name else graph


def require_kept(graph: Graph, seed: int) -> None:
    """Take a text through the canvas and back, then make one change on the canvas."""
    rnd = random.Random(seed)
    generated = written(graph)
    if not generated.is_complete:
        return
    graph = typed(graph, varied(generated.source, rnd))
    text = graph.code[MODEL_FILE]
    assert source(graph) == text
    try:
        after = edited(graph, rnd)
    except GraphError:
        return
    canonical = written(plain(after))
    if canonical.is_complete:
        new = merge(text, after, ANALYSER.resolved(after)).text
        needed = changed_lines(generated.source, canonical.source)
        assert len(changed_lines(text, new)) <= len(needed) + 2


@given(graphs(), st.integers(0, 10**6))
@settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_that_a_text_keeps_what_a_change_does_not_touch(graph: Graph, seed: int) -> None:
    require_kept(graph, seed)


@pytest.mark.nightly
@pytest.mark.timeout(1800)
@given(graphs(), st.integers(0, 10**6))
@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
def test_that_any_text_keeps_what_a_change_does_not_touch(graph: Graph, seed: int) -> None:
    require_kept(graph, seed)


def test_that_a_layer_is_renamed_beside_one_that_leads_nowhere() -> None:
    graph, x = add(Graph(), "Input", "x", shape=(4,))
    graph, idle = add(graph, "Linear", "idle", out_features=6)
    graph, fc = add(graph, "Linear", "fc", out_features=6)
    graph, out = add(graph, "Output", "out")
    for start, end in ((x, idle), (x, fc), (fc, out)):
        graph = wire(graph, start.id, end.id)
    graph = typed(graph, source(graph).replace("= self.fc", "=  self.fc"))
    after = apply(RenameNode(id=fc.id, name="head"), graph)
    assert "=  self.head(" in source(after)


@pytest.mark.row("N03")
def test_that_a_text_in_any_style_stays_to_the_letter() -> None:
    graph = picture()
    assert source(graph) == TEXT
    assert [node.type for node in graph.nodes.values()] == [
        "Input", "Conv2d", "ReLU", "mul", "Conv2d", "flatten", "Linear", "Output",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (
            SetParam(id="conv1", name="kernel_size", value=5),
            ["-         self.conv1 = nn.Conv2d( 1, WIDTH, 3, padding = 1 )   # same size",
             "+         self.conv1 = nn.Conv2d(1, 8, 5, padding=1)   # same size",
             "-         self.fc = nn.Linear(2704, 10)", "+         self.fc = nn.Linear(2304, 10)"],
        ),
        (
            RenameNode(id="conv1", name="edges"),
            ["-         self.conv1 = nn.Conv2d( 1, WIDTH, 3, padding = 1 )   # same size",
             "+         self.edges = nn.Conv2d( 1, WIDTH, 3, padding = 1 )   # same size",
             "-         x = self.act(self.conv1(x))", "+         x = self.act(self.edges(x))"],
        ),
    ],
)  # fmt: skip
def test_that_only_the_lines_of_a_node_change(edit: object, expected: list[str]) -> None:
    graph = picture()
    fc = replace(graph.nodes["fc"], params={"out_features": 10})
    graph = replace(graph, nodes={**graph.nodes, "fc": fc})
    after = apply(edit, graph)  # type: ignore[arg-type]
    assert changed_lines(TEXT, source(after)) == expected


def test_that_a_new_wire_finds_a_variable_that_was_written_over() -> None:
    graph = picture()
    graph, node = add(graph, "add", "again")
    graph = wire(wire(graph, "conv2", node.id), "conv1", f"{node.id}.other")
    graph = wire(graph, node.id, "flatten")
    text = merge(TEXT, graph, ANALYSER.resolved(graph)).text
    assert sorted(changed_lines(TEXT, text)) == sorted([
        "-         x = self.act(self.conv1(x))",
        "+         conv1 = self.conv1(x)",
        "+         x = self.act(conv1)",
        "-         x = x.view(x.size(0), -1)",
        "+         again = x + conv1",
        "+         x = again.view(again.size(0), -1)",
    ])  # fmt: skip


def test_that_the_text_computes_what_the_canvas_says() -> None:
    graph = model(
        (6,),
        ("Linear", {"out_features": 6}, "a"),
        ("ReLU", {}, "b"),
        ("Linear", {"out_features": 6}, "c"),
        ("add", {}, "d"),
    )
    graph = wire(graph, "a", "d.other")
    reused = source(graph)
    for name in "abc":
        reused = reused.replace(f"        {name} = ", "        x = ").replace(f"({name})", "(x)")
    reused = reused.replace("c + a", "x + 1.0")
    with_text = typed(graph, reused)
    edge = replace(graph.edges[0], source="a", target="d", target_port="other")
    after = apply(Connect(edge=edge), with_text)
    text = source(after)
    assert "x + 1.0" not in text
    torch.manual_seed(0)
    ours = runnable(after)
    plain_one = to_module(plain(after))
    plain_one.load_state_dict(ours.state_dict())
    value = torch.rand(3, 6)
    assert torch.equal(ours(value), plain_one(value))


def runnable(graph: Graph) -> torch.nn.Module:
    from engine.custom.trust import set_trust

    set_trust(graph.code, trusted=True)
    try:
        return to_module(graph)
    finally:
        set_trust(graph.code, trusted=False)


def test_that_comments_above_a_line_that_goes_stay() -> None:
    graph = picture()
    text = source(apply(Connect(edge=replace(graph.edges[0], target="conv2")), graph))
    assert "# first we look" in text
    assert "# what sees edges" in text


def test_that_blocks_are_grouped_renamed_and_changed_in_the_text() -> None:
    graph = model(
        (4,),
        ("Linear", {"out_features": 4}, "first"),
        ("ReLU", {}, "act"),
        ("Linear", {"out_features": 2}, "last"),
    )
    graph = typed(graph, source(graph).replace("self.last = ", "# the end\n        self.last = "))
    grouped = apply(GroupNodes(ids=("first", "act"), name="Part"), graph)
    grouped = apply(DescribeBlock(name="Part", style=BlockStyle.CLASS), grouped)
    text = source(grouped)
    assert "class Part(nn.Module):" in text
    assert "        # the end\n        self.last = nn.Linear(4, 2)\n" in text
    noted = typed(grouped, text.replace("self.act = nn.ReLU()", "self.act = nn.ReLU()  # sharp"))
    other = apply(RenameBlock(name="Part", new_name="Piece"), noted)
    assert "class Piece(nn.Module):" in source(other)
    assert "self.act = nn.ReLU()  # sharp" in source(other)
    wider = apply(
        EditBlock(block="Piece", edit=SetParam(id="first", name="out_features", value=7)), other
    )
    assert "self.act = nn.ReLU()  # sharp" in source(wider)
    assert "nn.Linear(7, 2)" in source(wider)


def test_that_freezing_comes_into_the_text_and_goes_again() -> None:
    conv: dict[str, Value] = {"out_channels": 2, "kernel_size": 3}
    graph = model((4, 8, 8), ("BatchNorm2d", {}, "norm"), ("Conv2d", conv, "conv"))
    graph = typed(graph, source(graph) + "# mine\n")
    frozen = apply(FreezeNodes(ids=("norm",)), graph)
    text = source(frozen)
    assert "self.norm.requires_grad_(False)" in text
    assert "def train(self, mode=True):" in text
    assert text.endswith("# mine\n")
    back = apply(FreezeNodes(ids=("norm",), frozen=False), typed(frozen, text))
    assert source(back) == graph.code[MODEL_FILE]


def test_that_lines_lead_to_nodes_and_back() -> None:
    graph = picture()
    lines = analyse(graph).lines
    rows = {text.strip(): number for number, text in enumerate(TEXT.splitlines(), 1)}
    assert lines[rows["self.act   = nn.ReLU()"]] == "act"
    assert lines[rows["4,  # out"]] == "conv2"
    assert lines[rows["x = self.act(self.conv1(x))"]] == "act"


def test_that_a_text_that_cannot_be_read_stops_a_run_and_nothing_else() -> None:
    graph = replace(picture(), code={MODEL_FILE: TEXT.replace("nn.ReLU()", "nn.ReLU(")})
    found = analyse(graph)
    assert found.nodes["fc"].outputs["output"].shape == ("N", 10)
    assert found.source == graph.code[MODEL_FILE]
    assert [problem.code for problem in found.problems] == ["T001"]
    with pytest.raises(DiagnosticError):
        generate_whole(graph)


def test_that_a_text_runs_only_when_it_is_trusted() -> None:
    graph = picture()
    with pytest.raises(DiagnosticError) as caught:
        to_module(graph)
    assert caught.value.problems[0].code == "U027"
    assert to_source(graph) == TEXT
    assert runnable(graph)(torch.zeros(2, 1, 28, 28)).shape == (2, 10)


def changes(graph: Graph, edit: Edit) -> list[str]:
    """Return the lines of a typed text that an edit of its graph changes."""
    text = source(graph)
    return changed_lines(text, source(apply(edit, typed(graph, text))))


def test_that_a_renamed_buffer_is_registered_under_its_new_name() -> None:
    graph, x = add(Graph(), "Input", "x", shape=(1,))
    graph, held = add(graph, "Buffer", "shift", shape=(1,))
    graph, node = add(graph, "add", "sum")
    graph, out = add(graph, "Output", "out")
    for start, end in ((x.id, node.id), (held.id, f"{node.id}.other"), (node.id, out.id)):
        graph = wire(graph, start, end)
    found = changes(graph, RenameNode(id=held.id, name="offset"))
    assert '+         self.register_buffer("offset", torch.zeros(1))' in found
    assert len(found) == 4


def test_that_a_wire_from_a_parameter_is_written_as_what_the_module_holds() -> None:
    graph, x = add(Graph(), "Input", "x", shape=(6,))
    graph, held = add(graph, "Parameter", "scale", shape=(6,))
    graph, act = add(graph, "ReLU", "act")
    graph, out = add(graph, "Output", "out")
    graph, other = add(graph, "Output", "other")
    for start, end in ((x, act), (act, out), (held, other)):
        graph = wire(graph, start.id, end.id)
    edge = Edge(source=held.id, source_port="output", target=act.id, target_port="input")
    found = changes(graph, Connect(edge=edge))
    assert found == ["-         act = self.act(x)", "+         act = self.act(self.scale)"]


def test_that_all_results_of_a_renamed_operator_get_its_name() -> None:
    graph, x = add(Graph(), "Input", "x", shape=(6,))
    graph, parts = add(graph, "chunk", "parts", chunks=3, dim=1)
    graph = wire(graph, x.id, parts.id)
    for number in range(3):
        graph, out = add(graph, "Output", f"out{number}")
        graph = wire(graph, f"{parts.id}.output.{number}", out.id)
    graph = typed(graph, source(graph).replace("torch.chunk(", "torch.chunk( "))
    text = source(apply(RenameNode(id=parts.id, name="slices"), graph))
    names = "slices_output_0, slices_output_1, slices_output_2"
    assert f"{names} = torch.chunk( x" in text
    assert f"return {names}" in text


def test_that_a_layer_which_leads_nowhere_any_more_keeps_how_it_begins() -> None:
    graph = model((6,), ("Linear", {"out_features": 6}, "fc"), ("ReLU", {}, "act"))
    graph = apply(SetInitial(ids=("fc",), weight="bias", initial=Initial(type="zeros_")), graph)
    edge = Edge(source="x", source_port="output", target="act", target_port="input")
    assert changes(graph, Connect(edge=edge)) == [
        "-         act = self.act(fc)",
        "+         act = self.act(x)",
    ]


PAIR = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear( 6, 6), nn.ReLU()  # both

    def forward(self, x):
        return self.b(self.a(x))
"""


def test_that_layers_of_one_assignment_are_layers_of_their_own() -> None:
    graph, _ = add(Graph(), "Input", "x", shape=(6,))
    graph = typed(graph, PAIR)
    assert [node.type for node in graph.nodes.values()] == ["Input", "Linear", "ReLU", "Output"]
    assert written(graph).source == PAIR
    renamed = written(apply(RenameNode(id="a", name="first"), graph)).source
    assert renamed == PAIR.replace("self.a", "self.first")
    changed = written(apply(SetParam(id="a", name="bias", value=False), graph)).source
    two = "self.a = nn.Linear(6, 6, bias=False)\n        self.b = nn.ReLU()  # both"
    assert changed == PAIR.replace("self.a, self.b = nn.Linear( 6, 6), nn.ReLU()  # both", two)
    left = wire(apply(RemoveNodes(ids=("b",)), graph), "a", "output")
    source = written(left).source
    assert "        self.a = nn.Linear( 6, 6)\n\n" in source
    assert "self.b" not in source
