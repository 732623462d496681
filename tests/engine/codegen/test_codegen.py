import ast
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.catalog.spec import Value
from engine.diagnostics import DiagnosticError
from engine.graph.codec import from_document
from engine.graph.edit.edits import AddNode, Connect, GraphError, RenameNode, apply
from engine.graph.model import Edge, Graph
from engine.graph.query import input_ports, make_node, output_ports
from engine.model.analysis import Analyser, analyse
from engine.model.module import load_source, to_module
from engine.model.source import generate, to_source
from tests.engine.graph.builder import add, model, wire

CALL = re.compile(r"(nn|torch|F|self|super|float|[^\W\d]\w*)(\.\w+)*\Z")


def check_style(folder: Path) -> None:
    """Fail unless ruff finds nothing and would format nothing (its default line length)."""
    ruff = [sys.executable, "-m", "ruff"]
    for command in (["check", "--select", "E,F,I"], ["format", "--check", "--diff"]):
        done = subprocess.run(
            [*ruff, *command, "--isolated", "--no-cache", str(folder)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr


def test_that_a_model_reads_as_a_person_would_write_it() -> None:
    graph = model(
        (1, 28, 28),
        ("Conv2d", {"out_channels": 32, "kernel_size": 3, "padding": 1}, "conv1"),
        ("ReLU", {}, "act"),
        ("MaxPool2d", {"kernel_size": 2}, "pool"),
        ("flatten", {"start_dim": 1}, "flat"),
        ("Linear", {"out_features": 10, "bias": False}, "fc"),
    )
    assert to_source(graph, "Net") == (
        "import torch\n"
        "from torch import nn\n"
        "\n"
        "\n"
        "class Net(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.conv1 = nn.Conv2d(1, 32, 3, padding=1)\n"
        "        self.act = nn.ReLU()\n"
        "        self.pool = nn.MaxPool2d(2)\n"
        "        self.fc = nn.Linear(6272, 10, bias=False)\n"
        "\n"
        "    def forward(self, x):\n"
        "        conv1 = self.conv1(x)\n"
        "        act = self.act(conv1)\n"
        "        pool = self.pool(act)\n"
        "        flat = torch.flatten(pool, 1)\n"
        "        fc = self.fc(flat)\n"
        "        return fc\n"
    )


def recurrent() -> Graph:
    graph = model((7, 6), ("LSTM", {"hidden_size": 5, "batch_first": True}, "lstm"))
    graph, _ = add(graph, "Output", "last")
    return wire(graph, "lstm.c_n", "last")


def test_that_tuples_are_unpacked_and_unused_parts_left_open() -> None:
    source = to_source(recurrent())
    assert "lstm_output, (_, lstm_c_n) = self.lstm(x)\n" in source
    assert "return lstm_output, lstm_c_n\n" in source
    alone = to_source(model((7, 6), ("LSTM", {"hidden_size": 5, "batch_first": True}, "lstm")))
    assert "lstm, _ = self.lstm(x)\n" in alone


def test_that_states_are_passed_as_one_tuple() -> None:
    graph = recurrent()
    for name in ("h_0", "c_0"):
        graph, _ = add(graph, "Input", name, shape=(5,))
        graph, _ = add(graph, "unsqueeze", f"{name}_first", dim=0)
        graph = wire(wire(graph, name, f"{name}_first"), f"{name}_first", f"lstm.{name}")
    source = to_source(graph)
    assert "def forward(self, x, h_0, c_0):\n" in source
    assert "self.lstm(x, (h_0_first, c_0_first))\n" in source
    results = to_module(graph)(torch.zeros(2, 7, 6), torch.zeros(2, 5), torch.zeros(2, 5))
    assert [tuple(result.shape) for result in results] == [(2, 7, 5), (1, 2, 5)]


def test_that_operators_are_written_as_operators() -> None:
    graph = model((4,), ("pow", {"other": 2.0}, "squared"), ("view", {"shape": (-1, 2)}, "pairs"))
    graph, _ = add(graph, "add", "both")
    graph, _ = add(graph, "cat", "joined", dim=1)
    graph, _ = add(graph, "Output", "second")
    graph = wire(wire(graph, "squared", "both.input"), "x", "both.other")
    graph = wire(wire(graph, "both", "joined.tensors.0"), "x", "joined.tensors.1")
    source = to_source(wire(graph, "joined", "second"))
    for line in (
        "squared = x**2.0",
        "pairs = squared.view(-1, 2)",
        "both = squared + x",
        "joined = torch.cat([both, x], dim=1)",
        "return pairs, joined",
    ):
        assert f"        {line}\n" in source


def test_that_the_lines_lead_to_the_nodes() -> None:
    analysis = analyse(model((8,), ("Linear", {"out_features": 2}, "fc"), ("ReLU", {}, "act")))
    lines = analysis.source.splitlines()
    named = {line: lines[line - 1] for line, node in analysis.lines.items() if node == "fc"}
    assert [text.strip() for text in named.values()] == [
        "self.fc = nn.Linear(8, 2)",
        "fc = self.fc(x)",
    ]


def test_that_what_cannot_be_written_whole_is_refused_with_the_reasons() -> None:
    graph, _ = add(model((8,), ("Linear", {"out_features": 2})), "Output", "second")
    with pytest.raises(DiagnosticError) as error:
        to_source(graph)
    assert [(p.code, p.node) for p in error.value.problems] == [("G033", "second")]
    assert "self.linear" in generate(graph, {"linear": {"in_features": 8}}).source


HOSTILE = [
    "x;import os", "__import__('os')", "a\nimport os", "class", "self", "torch", "nn", "F", "l",
    "forward", "__class__", "a" * 10_000, "", "卷积", "ﬁ", "float", "super", "x = 1 #",
    "'\"\\", "_",
]  # fmt: skip


def hostile_graph() -> Graph:
    nodes: list[dict[str, object]] = [
        {"id": "in", "type": "Input", "name": HOSTILE[0], "params": {"shape": [4]}}
    ]
    edges: list[str] = []
    before = "in"
    for index, name in enumerate(HOSTILE):
        key = "Linear" if index % 2 else "tanh"
        params = {"out_features": 4} if index % 2 else {}
        nodes.append({"id": f"n{index}", "type": key, "name": name, "params": params})
        edges.append(f"{before}.output -> n{index}.input")
        before = f"n{index}"
    nodes.append({"id": "out", "type": "Output", "name": "return"})
    edges.append(f"{before}.output -> out.input")
    return from_document({"nodes": nodes, "edges": edges})


@pytest.mark.fault("S08")
def test_that_hostile_names_write_nothing_but_known_calls() -> None:
    graph = hostile_graph()
    source = to_source(graph, class_name="x; import os")
    tree = ast.parse(source)
    assert [type(part).__name__ for part in tree.body] == ["Import", "ImportFrom", "ClassDef"]
    called = {ast.unparse(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call)}
    attributes = {name for name in called if name.startswith("self.")}
    assert called - attributes == {"super", "super().__init__", "nn.Linear", "torch.tanh"}
    layers = [node.id for node in graph.nodes.values() if node.type == "Linear"]
    assert len(attributes) == len(layers)
    module, clean = to_module(graph), to_module(renamed(graph))
    clean.load_state_dict(dict(zip(clean.state_dict(), module.state_dict().values(), strict=True)))
    value = torch.rand(3, 4, generator=torch.Generator().manual_seed(1))
    assert torch.equal(module(value), clean(value))


def renamed(graph: Graph) -> Graph:
    for index, node_id in enumerate(graph.nodes):
        graph = apply(RenameNode(id=node_id, name=f"clean{index}"), graph)
    return graph


@pytest.mark.fault("S08")
def test_that_text_parameters_stay_text() -> None:
    graph, _ = add(Graph(), "Input", "x", shape=(4,))
    text = "bi,bi->b\"'); import os; ('"
    graph, _ = add(graph, "einsum", "product", equation=text)
    graph, _ = add(graph, "Output")
    for index in range(2):
        graph = wire(graph, "x", f"product.operands.{index}")
    graph = wire(graph, "product", "output")
    tree = ast.parse(generate(graph).source)
    constants = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant)]
    assert text in constants
    assert not [n for n in ast.walk(tree) if isinstance(n, ast.Import) and n.names[0].name == "os"]


def test_that_valid_names_are_kept_when_a_bad_one_would_become_the_same() -> None:
    nodes = [
        {"id": "in", "type": "Input", "name": "x", "params": {"shape": [4]}},
        {"id": "a", "type": "Linear", "name": "fc;", "params": {"out_features": 4}},
        {"id": "b", "type": "Linear", "name": "fc", "params": {"out_features": 4}},
        {"id": "out", "type": "Output", "name": "y"},
    ]
    edges = ["in.output -> a.input", "a.output -> b.input", "b.output -> out.input"]
    source = to_source(from_document({"nodes": nodes, "edges": edges}))
    assert "fc = self.fc(fc2)" in source


@pytest.mark.real
@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
@pytest.mark.parametrize("length", [5, 30, 55])
def test_that_long_lines_are_wrapped_as_ruff_would(length: int, tmp_path: Path) -> None:
    def long(name: str) -> str:
        return (name + "_long" * 20)[:length]

    graph, _ = add(Graph(), "Input", long("a"), shape=(7, 6))
    graph, _ = add(graph, "Input", long("b"), shape=(7, 6))
    graph, _ = add(graph, "cat", long("c"), dim=2)
    params: dict[str, Value] = {"hidden_size": 5, "num_layers": 2, "batch_first": True,
                                "bidirectional": True, "dropout": 0.25, "bias": False}  # fmt: skip
    graph, _ = add(graph, "LSTM", long("d"), **params)
    graph, _ = add(graph, "add", long("e"))
    encoder: dict[str, Value] = {
        "nhead": 2,
        "num_layers": 1,
        "d_model": "auto",
        "dim_feedforward": 64,
        "batch_first": True,
        "norm_first": True,
    }
    graph, _ = add(graph, "TransformerEncoder", long("f"), **encoder)
    for name in "ab":
        port = f"{long('c')}.tensors.{'ab'.index(name)}"
        graph = wire(graph, long(name), port)
    graph = wire(graph, long("c"), long("d"))
    graph = wire(wire(graph, long("d"), f"{long('e')}.input"), long("d"), f"{long('e')}.other")
    graph = wire(graph, long("e"), long("f"))
    for index, source in enumerate(("e", "f", "c")):
        graph, node = add(graph, "Output", f"out{index}")
        graph = wire(graph, long(source), node.id)
    graph, node = add(graph, "Output", "hidden")
    graph = wire(graph, f"{long('d')}.h_n", node.id)
    source = to_source(graph)
    if length < 50:
        (tmp_path / "model.py").write_text(source, encoding="utf-8")
        check_style(tmp_path)
    value = torch.rand(3, 7, 6, generator=torch.Generator().manual_seed(0))
    assert len(to_module(graph)(value, value)) == 4


KEYS = (
    "Linear", "ReLU", "Conv1d", "LayerNorm", "Dropout", "flatten", "add", "mul", "cat", "LSTM",
    "GRU", "MultiheadAttention", "matmul", "softmax", "unsqueeze", "mean", "chunk", "max",
    "permute", "BatchNorm1d", "squeeze", "reshape", "stack", "MaxPool1d", "Embedding",
    "pow", "where",
)  # fmt: skip


ANALYSER = Analyser()


def random_graph(seed: int) -> Graph:
    """Return a graph with nodes and wires by chance; only a part of it makes sense."""
    chance = random.Random(seed)
    graph, _ = add(Graph(), "Input", "x", shape=(4, 6))
    graph, _ = add(graph, "Input", "second_input", shape=(4, 6))
    for _ in range(chance.randrange(3, 14)):
        node = make_node(graph, chance.choice(KEYS))
        grown = apply(AddNode(node=node), graph)
        for _ in range(2):
            for port in input_ports(grown, grown.nodes[node.id]):
                if port.keyword or (not port.required and chance.random() < 0.5):
                    continue
                source = chance.choice(list(graph.nodes.values()))
                output = chance.choice(output_ports(graph, source))
                edge = Edge(source=source.id, source_port=output.name, target=node.id,
                            target_port=port.name)  # fmt: skip
                try:
                    grown = apply(Connect(edge=edge), grown)
                except GraphError:
                    continue
        if ANALYSER.analyse(grown).nodes[node.id].outputs:
            graph = grown
    used = {edge.source for edge in graph.edges}
    for node in [node for node in graph.nodes.values() if node.id not in used]:
        graph, sink = add(graph, "Output", "out")
        graph = wire(graph, node.id, sink.id)
    return graph


def sound_graph(seed: int) -> Graph | None:
    graph = random_graph(seed)
    return graph if ANALYSER.analyse(graph).is_ok() else None


@given(st.integers(0, 100_000))
@settings(max_examples=15, deadline=None)
def test_that_a_graph_that_checks_runs_with_the_predicted_shapes(seed: int) -> None:
    graph = sound_graph(seed)
    if graph is None:
        return
    analysis = analyse(graph)
    module = vars(load_source(analysis.source))["Model"]()
    given = torch.rand(5, 4, 6, generator=torch.Generator().manual_seed(seed))
    results = module(given, given)
    actual = [tuple(r.shape) for r in (results if isinstance(results, tuple) else [results])]
    outputs = [node.id for node in graph.nodes.values() if node.type == "Output"]
    said = [analysis.nodes[node_id].outputs["input"].shape for node_id in outputs]
    assert [tuple(5 if axis == "N" else axis for axis in shape) for shape in said] == actual or any(
        "*" in str(axis) for shape in said for axis in shape
    )
    assert sum(p.numel() for p in module.parameters()) == analysis.parameters


@pytest.mark.real
def test_that_generated_classes_pass_ruff(tmp_path: Path) -> None:
    written = 0
    for seed in range(30):
        graph = sound_graph(seed)
        if graph is not None:
            (tmp_path / f"model_{seed}.py").write_text(to_source(graph), encoding="utf-8")
            written += 1
    assert written > 10
    check_style(tmp_path)
