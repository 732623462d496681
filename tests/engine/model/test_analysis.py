import sys
import warnings

import pytest
import torch

from engine.catalog.spec import Value
from engine.graph.codec import from_document
from engine.graph.edit.edits import Connect, RemoveNodes, SetParam, apply
from engine.graph.model import Edge, Graph
from engine.model.analysis import Analyser, analyse
from tests.engine.graph.builder import Spec, add, chain, model, wire


def deep(count: int) -> Graph:
    conv: dict[str, Value] = {"out_channels": 8, "kernel_size": 3, "padding": 1}
    block: list[Spec] = [("Conv2d", conv), ("BatchNorm2d", {}), ("ReLU", {})]
    return model((3, 32, 32), *(block * count), ("Flatten", {}), ("Linear", {"out_features": 10}))


def test_that_the_batch_is_a_letter() -> None:
    analysis = analyse(model((3, 8), ("flatten", {"start_dim": 0, "end_dim": 1}, "flat")))
    assert analysis.nodes["x"].outputs["output"].shape == ("N", 3, 8)
    assert analysis.nodes["flat"].outputs["output"].shape == ("3*N", 8)


def test_that_one_edit_runs_only_what_it_touched() -> None:
    analyser, graph = Analyser(), deep(10)
    analyser.analyse(graph)
    before = analyser.runs
    same_shape = apply(SetParam(id="conv5", name="bias", value=False), graph)
    assert analyser.analyse(same_shape).is_ok()
    assert analyser.runs - before == 1
    before = analyser.runs
    analyser.analyse(graph)
    assert analyser.runs == before


def test_that_a_missing_wire_leaves_the_rest_known() -> None:
    graph = deep(3)
    cut = apply(RemoveNodes(ids=("relu2",)), graph)
    analysis = analyse(cut)
    assert analysis.nodes["batch_norm2"].outputs["output"].shape == ("N", 8, 32, 32)
    assert analysis.nodes["linear"].outputs == {}
    assert not analysis.is_ok()
    assert "batch_norm3" not in analysis.source


def test_that_a_failing_node_does_not_hide_its_size() -> None:
    analysis = analyse(model((8,), ("Linear", {"in_features": 3, "out_features": 2}, "fc")))
    assert analysis.nodes["fc"].parameters == 8


def test_that_what_leads_nowhere_is_not_counted() -> None:
    graph, _ = add(model((8,), ("Linear", {"out_features": 2})), "Linear", "lost", out_features=9)
    graph = wire(graph, "x", "lost")
    analysis = analyse(graph)
    assert analysis.nodes["lost"].parameters == 81
    assert analysis.parameters == 18
    assert "lost" not in analysis.source


def test_that_recurrent_and_attention_layers_have_all_their_outputs() -> None:
    graph = model((7, 6), ("LSTM", {"hidden_size": 5, "batch_first": True, "num_layers": 2}))
    shapes = {port: t.shape for port, t in analyse(graph).nodes["lstm"].outputs.items()}
    assert shapes == {"output": ("N", 7, 5), "h_n": (2, "N", 5), "c_n": (2, "N", 5)}


def test_that_an_output_node_tells_what_it_gives() -> None:
    assert analyse(model((8,))).nodes["output"].outputs["input"].shape == ("N", 8)


@pytest.mark.parametrize("key", ["Dropout", "LSTM", "Conv2d", "MultiheadAttention", "randn_like"])
def test_that_no_random_number_is_drawn(key: str) -> None:
    params: dict[str, dict[str, Value]] = {
        "LSTM": {"hidden_size": 2}, "MultiheadAttention": {"num_heads": 1},
        "Conv2d": {"out_channels": 2, "kernel_size": 1},
    }  # fmt: skip
    shape = (3, 4, 4) if key == "Conv2d" else (3, 4)
    torch.manual_seed(3)
    before = torch.get_rng_state()
    analyse(model(shape, (key, params.get(key, {}))))
    assert torch.equal(before, torch.get_rng_state())


def test_that_nothing_is_printed_or_warned(capfd: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        analyse(model((5, 4), ("LSTM", {"hidden_size": 3, "dropout": 0.5, "batch_first": True})))
        analyse(model((5, 4), ("Conv2d", {"out_channels": 3, "kernel_size": 3})))
    assert seen == []
    captured = capfd.readouterr()
    assert captured.out == captured.err == ""


@pytest.mark.fault("B08")
def test_that_a_document_with_all_faults_is_analysed() -> None:
    graph = chain(("ReLU", {}, "a"), ("ReLU", {}, "b"))
    back = Edge(source="b", source_port="output", target="a", target_port="input")
    ghost = Edge(source="ghost", source_port="output", target="b", target_port="banana")
    broken = Graph(nodes=graph.nodes, edges=(*graph.edges, back, ghost))
    analysis = analyse(broken)
    assert not analysis.is_ok()
    assert analysis.source == ""
    assert analyse(Graph()).source == ""


@pytest.mark.fault("S02")
def test_that_opening_and_analysing_a_hostile_document_imports_and_runs_nothing() -> None:
    names = ["os.system", "__import__", "builtins.eval", "_instantiator", "nn.Linear", "torch.load"]
    nodes = [
        {"id": f"n{i}", "type": name, "name": f"n{i}", "params": {"_class_path": name}}
        for i, name in enumerate(names)
    ]
    nodes.append({"id": "x", "type": "Input", "name": "x",
                  "params": {"shape": [4], "dtype": "load"}})  # fmt: skip
    document = {"nodes": nodes, "edges": ["x.output -> n0.input"]}
    analyse(from_document(document))
    seen: list[str] = []
    is_watching = True

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if is_watching and event.startswith(("import", "exec", "compile", "os.", "subprocess")):
            seen.append(f"{event} {arguments[:1]}")

    sys.addaudithook(hook)
    analysis = analyse(from_document(document))
    is_watching = False
    assert [event for event in seen if "networkx" not in event] == []
    assert sum(problem.code == "G022" for problem in analysis.problems) == len(names)


def test_that_a_wire_moved_elsewhere_changes_the_sizes() -> None:
    graph, _ = add(model((8,), ("Linear", {"out_features": 2})), "Input", "y", shape=(5,))
    edge = Edge(source="y", source_port="output", target="linear", target_port="input")
    assert analyse(graph).nodes["linear"].resolved == {"in_features": 8}
    assert analyse(apply(Connect(edge=edge), graph)).nodes["linear"].resolved == {"in_features": 5}
