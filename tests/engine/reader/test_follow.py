"""What a typed text makes of the graph: nodes, settings and wires, with ids and places kept."""

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from msgspec.structs import replace

from engine.catalog.spec import AUTO
from engine.diagnostics import DiagnosticError, sentence
from engine.graph.check import check
from engine.graph.code import DRAFT_FILE, MODEL_FILE
from engine.graph.edit.block_edits import SetRepeat, ShareModule
from engine.graph.edit.edits import RemoveNodes, apply
from engine.graph.model import BlockStyle, Graph
from engine.graph.node_state.bypass import BypassNodes
from engine.graph.templates import templates
from engine.model.analysis import Analyser
from engine.model.source import Generated, generate
from engine.project import Project
from engine.reader.merge.follow import follow
from tests.engine.graph.builder import add, model, wire
from tests.engine.model.test_any_graph import graphs
from tests.engine.shape.test_fidelity import ENTRIES, NOT_ALONE, one_node

ANALYSER = Analyser()
KEYS = [key for key in ENTRIES if key not in NOT_ALONE]


def written(graph: Graph) -> Generated:
    return generate(graph, ANALYSER.resolved(graph))


def typed(graph: Graph, text: str) -> Graph:
    """Return the graph when its code was replaced by a text."""
    before = graph.code.get(MODEL_FILE) or written(graph).source
    return follow(text, graph, ANALYSER.resolved(graph), before)


def edited(graph: Graph, *changes: tuple[str, str]) -> Graph:
    text = written(graph).source
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return typed(graph, text)


def plain(graph: Graph) -> Graph:
    return replace(graph, code={k: t for k, t in graph.code.items() if k != MODEL_FILE})


def require_same(graph: Graph) -> None:
    generated = written(graph)
    if generated.is_complete:
        after = typed(graph, generated.source)
        assert plain(after) == graph
        assert list(after.nodes) == list(graph.nodes)
        assert written(after).source == generated.source


def classifier() -> Graph:
    return model(
        (1, 28, 28),
        ("Conv2d", {"out_channels": 8, "kernel_size": 3}, "conv1"),
        ("ReLU", {}, "act"),
        ("flatten", {"start_dim": 1}, "flat"),
        ("Linear", {"out_features": 10}, "fc"),
    )


@given(graphs())
@settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_that_the_text_of_a_graph_is_that_graph(graph: Graph) -> None:
    require_same(graph)


@pytest.mark.nightly
@pytest.mark.timeout(1800)
@given(graphs())
@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
def test_that_the_text_of_any_graph_is_that_graph(graph: Graph) -> None:
    require_same(graph)


@pytest.mark.parametrize("key", KEYS[::12])
def test_that_a_node_is_read_as_it_was_written(key: str) -> None:
    require_same(one_node(ENTRIES[key]))


@pytest.mark.nightly
@pytest.mark.parametrize("key", KEYS)
def test_that_every_node_is_read_as_it_was_written(key: str) -> None:
    require_same(one_node(ENTRIES[key]))


@pytest.mark.parametrize("name", [template.name for template in templates()])
def test_that_the_text_of_a_template_is_the_template(name: str, tmp_path) -> None:
    graph = Project.create(tmp_path / "project", name).graph
    if not graph.code:
        require_same(graph)


def test_that_wires_of_a_skipped_node_that_lead_nowhere_stay() -> None:
    graph, _ = add(Graph(), "Input", "x", shape=(2, 8, 8))
    graph, _ = add(graph, "GRU", "gru", hidden_size=3)
    graph, _ = add(graph, "ReLU", "act")
    graph, _ = add(graph, "cat", "cat", dim=1)
    graph, _ = add(graph, "Output", "out")
    ids = {node.name: node.id for node in graph.nodes.values()}
    wires = ("x gru", "x act", "x cat.tensors.0", "gru.h_n cat.tensors.1", "act cat.tensors.2")
    for source, target in (*(each.split() for each in wires), ("cat", "out")):
        start, end = (
            f"{ids[n]}{dot}{port}"
            for n, dot, port in (source.partition("."), target.partition("."))
        )
        graph = wire(graph, start, end)
    graph = apply(BypassNodes(ids=(ids["gru"],)), graph)
    assert "torch.cat([x, act], dim=1)" in written(graph).source
    require_same(graph)


def test_that_a_random_order_is_a_shuffle_only_of_the_same_tensor() -> None:
    require_same(one_node(ENTRIES["shuffle"]))
    graph = one_node(ENTRIES["shuffle"])
    after = edited(graph, ("randperm(x0.shape[1]", "randperm(x0.shape[2]"))
    assert after.nodes["tested"].type.startswith("code.model_parts.")


def test_that_a_renamed_layer_keeps_its_id_and_place() -> None:
    graph = classifier()
    node = replace(graph.nodes["conv1"], position=(7.0, 9.0), pinned=True)
    graph = replace(graph, nodes={**graph.nodes, "conv1": node})
    after = edited(graph, ("self.conv1", "self.stem"))
    assert after.nodes["conv1"] == replace(node, name="stem")
    assert after.edges == graph.edges


def test_that_a_number_that_is_inferred_stays_so_until_another_is_typed() -> None:
    graph = classifier()
    after = edited(graph, ("Conv2d(1, 8, 3)", "Conv2d(1, 16, 3)"))
    assert after.nodes["fc"].params.get("in_features", AUTO) == AUTO
    assert "nn.Linear(10816, 10)" in written(after).source
    typed_in = edited(graph, ("Linear(5408, 10)", "Linear(5409, 10)"))
    assert typed_in.nodes["fc"].params["in_features"] == 5409


def test_that_new_lines_become_nodes_beside_what_they_come_from() -> None:
    after = edited(
        classifier(),
        ("        act = ", "        conv1 = torch.tanh(conv1) + conv1\n        act = "),
    )
    types = {node.id: node.type for node in after.nodes.values()}
    assert types["tanh"] == "tanh"
    assert types["add"] == "add"
    sources = {(e.target, e.target_port): e.source for e in after.edges}
    assert sources["add", "input"] == "tanh"
    assert sources["add", "other"] == "conv1"
    assert sources["act", "input"] == "add"
    x, y = after.nodes["tanh"].position
    assert (x, y) != after.nodes["conv1"].position


def test_that_a_layer_that_is_not_called_yet_stands_alone() -> None:
    line = "        self.act = nn.ReLU()\n"
    after = edited(classifier(), (line, f"{line}        self.extra = nn.Dropout(0.1)\n"))
    assert after.nodes["extra"].type == "Dropout"
    assert all("extra" not in (edge.source, edge.target) for edge in after.edges)
    text = after.code[MODEL_FILE]
    assert written(after).source == text
    gone = typed(after, text.replace("        self.extra = nn.Dropout(0.1)\n", ""))
    assert "extra" not in gone.nodes


@pytest.mark.parametrize(
    ("statement", "key", "params"),
    [
        ("torch.flatten(act, 1)", "flatten", {"start_dim": 1}),
        ("act.flatten(start_dim=1)", "flatten", {"start_dim": 1}),
        ("act.view(act.size(0), -1)", "flatten", {"start_dim": 1}),
        ("act.view(act.shape[0], 5408)", "view", {"shape": (-1, 5408)}),
        ("act.reshape((-1, 5408))", "reshape", {"shape": (-1, 5408)}),
    ],
)
def test_that_one_node_can_be_written_in_many_ways(statement: str, key: str, params: dict) -> None:
    after = edited(classifier(), ("torch.flatten(act, 1)", statement))
    assert after.nodes["flat"].type == key
    assert after.nodes["flat"].params == params
    assert written(after).source == after.code[MODEL_FILE]


@pytest.mark.parametrize(
    ("expression", "types"),
    [
        ("torch.cat([x, y], dim=1)", ["cat"]),
        ("torch.cat((x, F.relu(y)), 1)", ["relu", "cat"]),
        ("x @ y.transpose(1, 2)", ["transpose", "matmul"]),
        ("1 - x * 2 + y", ["mul", "rsub", "add"]),
        ("x.mean(dim=(1, 2), keepdim=True) + y", ["mean", "add"]),
        ("x[:, 0] + y[:, 1:2].squeeze(1)", ["select", "slice", "squeeze", "add"]),
        ("x[..., ::2] + y[:, 1:][..., -1, :]", ["slice", "slice", "select", "add"]),
        (
            "x[:, 1:, ::2] + y[:, 0, None, 2:]",
            ["slice", "slice", "select", "unsqueeze", "slice", "add"],
        ),
        ("x[..., 0, None] + y[..., -2:, 1:]", ["unsqueeze", "select", "slice", "slice", "add"]),
        ("x[slice(None), 1]", ["code.model_parts.compute_result"]),
        ("torch.max(x, dim=1)[0] + y.max(dim=1).values", ["max", "max", "add"]),
        ("self.mix(x, other=y)", ["add", "relu"]),
        ("sum([x, y, x])", ["code.model_parts.compute_result"]),
    ],
)
def test_that_expressions_become_nodes(expression: str, types: list[str]) -> None:
    text = (
        "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n\n\n"
        "class Net(nn.Module):\n"
        "    def mix(self, one, other, *, factor=1):\n"
        "        return F.relu(one + other)\n\n"
        "    def forward(self, x, y):\n"
        f"        return {expression}\n"
    )
    graph, _ = add(Graph(), "Input", "x", shape=(4, 4))
    graph, _ = add(graph, "Input", "y", shape=(4, 4))
    after = typed(graph, text)
    assert list(after.nodes)[:2] == ["x", "y"]
    assert [n.type for n in after.nodes.values() if n.type not in ("Input", "Output")] == types
    assert written(after).source == text


@pytest.mark.row("S092")
def test_that_a_class_that_is_typed_becomes_a_block_with_a_use_for_each_call() -> None:
    text = """\
from torch import nn


class Block(nn.Module):
    def __init__(self, inside, outside=16):
        super().__init__()
        self.conv = nn.Conv2d(inside, outside, 3, padding=1)
        if inside != outside:
            self.short = nn.Conv2d(inside, outside, 1)
        else:
            self.short = nn.Identity()

    def forward(self, x):
        return self.conv(x).relu() + self.short(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Block(1)
        self.second = Block(16)  # the same again
        layers = []
        for number in range(2):
            layers.append(nn.Dropout(0.1 * number))
        self.end = nn.Sequential(*layers, nn.Flatten())

    def forward(self, image):
        image = self.first(image)
        image = self.second(image)
        return self.end(image)
"""
    graph, _ = add(Graph(), "Input", "image", shape=(1, 8, 8))
    after = typed(graph, text)
    assert [after.nodes[n].type for n in ("first", "second")] == ["block.Block", "block.Block2"]
    assert after.blocks["End"].style is BlockStyle.SEQUENTIAL
    assert [n.type for n in after.blocks["End"].nodes.values()][1:-1] == [
        "Dropout", "Dropout", "Flatten",
    ]  # fmt: skip
    assert written(after).source == text


def test_that_several_results_are_taken_apart() -> None:
    graph = model((7, 6), ("LSTM", {"hidden_size": 5, "batch_first": True}, "lstm"))
    text = written(graph).source
    line = next(one for one in text.splitlines() if "self.lstm(x)" in one)
    after = typed(
        graph,
        text.replace(line, "        out, (h, _) = self.lstm(x)\n        h = h + 1").replace(
            text.splitlines()[-1], "        return out, h"
        ),
    )
    sources = [
        (e.source, e.source_port)
        for e in after.edges
        if after.nodes[e.target].type in ("Output", "add")
    ]
    assert sorted(sources) == [("add", "output"), ("lstm", "h_n"), ("lstm", "output")]


def test_that_skipped_nodes_and_those_that_lead_nowhere_stay() -> None:
    graph = classifier()
    graph, _ = add(graph, "Linear", "spare", out_features=3)
    graph = apply(BypassNodes(ids=("act",)), graph)
    after = edited(graph, ("Conv2d(1, 8, 3)", "Conv2d(1, 8, 5)"))
    assert after.nodes["act"] == graph.nodes["act"]
    assert after.nodes["spare"] == graph.nodes["spare"]
    assert after.edges == graph.edges


def test_that_a_line_that_goes_takes_its_node_along() -> None:
    graph = classifier()
    after = edited(
        graph,
        ("        self.act = nn.ReLU()\n", ""),
        ("        act = self.act(conv1)\n", ""),
        ("(act, 1)", "(conv1, 1)"),
    )
    assert "act" not in after.nodes
    removed = apply(RemoveNodes(ids=("act",)), graph)
    assert {edge.source for edge in after.edges} == {e.source for e in removed.edges} | {"conv1"}


def test_that_arguments_become_inputs_in_their_order_and_defaults_do_not() -> None:
    graph = wire(add(classifier(), "Input", "y", shape=(10,))[0], "x", "conv1")
    graph, _ = add(graph, "add", "total")
    graph = wire(wire(graph, "fc", "total"), "y", "total.other")
    graph = wire(graph, "total", "output")
    after = edited(graph, ("forward(self, x, y)", "forward(self, y, x, scale=2.0)"))
    assert [i for i in after.nodes if after.nodes[i].type == "Input"] == ["y", "x"]
    assert after.nodes["x"].params == graph.nodes["x"].params


@pytest.mark.parametrize(
    ("old", "new", "code", "line"),
    [
        ("self.act(conv1)", "self.act(conv1", "T001", 14),
        ("self.act(conv1)", "self.cat(conv1)", "T029", 14),
        ("self.act(conv1)", "self.act(conv2)", "T013", 14),
        ("self.act(conv1)", "frobnicate(conv1)", "T013", 14),
        ("self.act(conv1)", "torch.frobnicate(conv1)", "T035", 14),
        ("Conv2d(1, 8, 3)", "Conv2d(1, 8, 3, colour=2)", "T016", 8),
        ("Conv2d(1, 8, 3)", "Conv2d(1, 8, -3)", "C004", 8),
        ("return fc", "fc", "T023", 12),
        ("nn.Module", "object", "T030", 1),
        ("nn.ReLU()", "nn.ReLU(inplace=yes)", "T013", 9),
        ("nn.ReLU()", "Norm(self.width)", "T013", 9),
        ("Linear(5408, 10)", "Linear(self.width, 10)", "T029", 10),
    ],
)
def test_that_what_cannot_be_read_is_told_with_its_line(
    old: str, new: str, code: str, line: int
) -> None:
    with pytest.raises(DiagnosticError) as caught:
        edited(classifier(), (old, new))
    problem = caught.value.problems[0]
    assert (problem.code, problem.params["line"]) == (code, line)
    for language in ("en", "zh_CN"):
        assert "{" not in sentence(problem, language)


@pytest.mark.row("S035")
@pytest.mark.parametrize(
    ("part", "axes"),
    [
        ("[::-1]", "0,"),
        ("[:, ::-1]", "1,"),
        ("[..., ::-2]", "-1,"),
        ("[::-1, [1, 0], ::-1]", "0, 2,"),
    ],
)
def test_that_going_backwards_through_a_tensor_is_told_with_what_mirrors_it(
    part: str, axes: str
) -> None:
    with pytest.raises(DiagnosticError) as caught:
        edited(classifier(), ("self.act(conv1)", f"self.act(conv1){part}"))
    problem = caught.value.problems[0]
    assert (problem.code, problem.params["line"]) == ("T036", 14)
    assert f"torch.flip(…, ({axes}))" in sentence(problem)
    assert "step must be greater than zero" in sentence(problem, "zh_CN")


@pytest.mark.parametrize(
    "expression",
    ["10 ** 10 ** 10", "[0] * 10 ** 9", "range(10 ** 9)", "a(a)"],
)
def test_that_no_text_keeps_the_reader_busy(expression: str) -> None:
    text = (
        "from torch import nn\n\n\ndef a(f):\n    return f(f)\n\n\n"
        f"class Net(nn.Module):\n    def forward(self, x):\n        y = {expression}\n"
        "        return x * y\n"
    )
    graph = typed(add(Graph(), "Input", "x", shape=(4,))[0], text)
    assert [node.type for node in graph.nodes.values()][1] == "code.model_parts.Net"
    deep = text.replace(expression, "(" * 500 + "1" + ")" * 500)
    with pytest.raises(DiagnosticError):
        typed(graph, deep)


def test_that_a_draft_is_no_part_of_what_follows() -> None:
    graph = replace(classifier(), code={DRAFT_FILE: "class"})
    assert not written(graph).is_complete
    assert written(graph).problems[0].code == "T001"
    after = follow(written(plain(classifier())).source, graph, ANALYSER.resolved(graph), "")
    assert DRAFT_FILE not in after.code


def test_that_an_import_that_is_missing_is_added_where_imports_stand() -> None:
    after = edited(classifier(), ("self.act(conv1)", "F.gelu(torch.abs(conv1))"))
    text = after.code[MODEL_FILE]
    assert text.startswith("import torch\nfrom torch import nn\nimport torch.nn.functional as F\n")
    assert written(after).source == text
    assert {node.type for node in after.nodes.values()} >= {"gelu", "abs"}


def test_that_a_finding_of_python_is_one_sentence_after_the_other() -> None:
    with pytest.raises(DiagnosticError) as caught:
        edited(classifier(), ("self.act(conv1)", "self.act(conv1 conv1)"))
    assert "comma. The canvas" in sentence(caught.value.problems[0], "en")


def twice_called() -> Graph:
    """Return two calls of one layer of which the later one owns the weights."""
    graph, x = add(Graph(), "Input", "x", shape=(6,))
    graph, early = add(graph, "Linear", "early", out_features=6)
    graph, late = add(graph, "Linear", "late", out_features=6)
    graph, out = add(graph, "Output", "out")
    for source, target in ((x, early), (early, late), (late, out)):
        graph = wire(graph, source.id, target.id)
    return apply(ShareModule(id=early.id, source=late.id), graph)


def test_that_a_layer_that_is_called_twice_keeps_its_nodes_whichever_owns_the_weights() -> None:
    require_same(twice_called())


def test_that_weights_of_a_skipped_layer_stay_shared() -> None:
    graph, x = add(Graph(), "Input", "x", shape=(6,))
    graph, first = add(graph, "Linear", "first", out_features=6)
    graph, second = add(graph, "Linear", "second", out_features=6)
    graph, out = add(graph, "Output", "out")
    for source, target in ((x, first), (first, second), (second, out)):
        graph = wire(graph, source.id, target.id)
    graph = apply(ShareModule(id=second.id, source=first.id), graph)
    require_same(apply(BypassNodes(ids=(first.id,)), graph))


def test_that_a_loop_over_a_layer_with_several_results_is_one_repeated_node() -> None:
    graph, x = add(Graph(), "Input", "x", shape=(5, 6))
    graph, lstm = add(graph, "LSTM", "lstm", hidden_size=6, batch_first=True)
    graph, out = add(graph, "Output", "out")
    graph = wire(wire(graph, x.id, lstm.id), f"{lstm.id}.h_n", out.id)
    require_same(apply(SetRepeat(id=lstm.id, repeat=3, tied=True), graph))


@pytest.mark.parametrize("layer", ["nn.Linear(3, 4)", "nn.Sequential(nn.Linear(3, 4), nn.ReLU())"])
def test_that_a_layer_that_is_made_and_never_called_is_kept_with_a_warning(layer: str) -> None:
    line = "        self.act = nn.ReLU()\n"
    after = edited(classifier(), (line, f"{line}        self.spare = {layer}\n"))
    assert [(p.code, p.severity, p.node) for p in check(after)] == [("G026", "warning", "spare")]
    assert f"self.spare = {layer}" in written(after).source
