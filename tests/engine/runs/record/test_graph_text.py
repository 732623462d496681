import json
import shutil
import subprocess

import msgspec
import pytest

from engine.runs.record.autograd_graph import (
    AutogradGraph,
    AutogradNode,
    BackwardCall,
    Reading,
    TensorMeta,
)
from engine.runs.record.graph_text import graph_dot, graph_json

GRAPH = AutogradGraph(
    nodes=(
        AutogradNode(id="0", name='Odd"Backward', layer="a.b"),
        AutogradNode(
            id="1",
            name="AccumulateGrad",
            layer="a.b",
            parameter="a.b.weight",
            outputs=(TensorMeta((4, 3), "float32"),),
        ),
    ),
    edges=(("0", "1", 0),),
    roots=("0",),
    calls=(
        BackwardCall(id="0", start_s=0, took_s=1, arrived=(Reading(float("nan")), None), left=()),
    ),
)


def test_that_dot_holds_every_function_and_edge_with_layers_as_clusters() -> None:
    text = graph_dot(GRAPH).decode()
    assert 'label="Odd\\"Backward"' in text
    assert '"0" -> "1" [label="0: 4×3 float32"];' in text
    assert text.count("subgraph") == 1


@pytest.mark.real
@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_that_graphviz_reads_it() -> None:
    done = subprocess.run(
        ["dot", "-Tplain"], input=graph_dot(GRAPH), capture_output=True, check=True
    )
    assert done.stdout.count(b"\nnode ") == 2


def test_that_json_holds_all_of_it_and_what_is_no_number_as_null() -> None:
    read = json.loads(graph_json(GRAPH))
    assert read["calls"][0]["arrived"][0]["norm"] is None
    assert [node["id"] for node in read["nodes"]] == ["0", "1"]
    finite = msgspec.structs.replace(GRAPH, calls=())
    assert msgspec.json.decode(graph_json(finite), type=AutogradGraph) == finite
