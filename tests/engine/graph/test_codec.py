import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.diagnostics import DiagnosticError
from engine.graph.codec import (
    MAX_NODES,
    from_document,
    from_text,
    read_document,
    to_document,
    to_text,
)
from engine.graph.edit.edits import PinNodes, apply
from engine.graph.model import Edge, Graph, Node
from tests.engine.graph.builder import model


def round_trip(graph: Graph) -> Graph:
    return from_document(msgspec.json.decode(msgspec.json.encode(to_document(graph))))


def refused(document: object) -> str:
    with pytest.raises(DiagnosticError) as error:
        from_document(document)
    problem = error.value.problems[0]
    assert problem.code == "G040"
    return str(problem.params["path"])


def test_that_a_graph_comes_back_as_it_was() -> None:
    graph = model((1, 8, 8), ("Conv2d", {"out_channels": 4, "kernel_size": (3, 3)}), ("ReLU", {}))
    assert round_trip(graph) == graph


def test_that_a_pin_is_written_only_where_there_is_one() -> None:
    graph = apply(PinNodes(ids=("relu",)), model((4,), ("ReLU", {}), ("Tanh", {})))
    nodes = to_document(graph)["nodes"]
    assert [node.get("pinned") for node in nodes] == [None, True, None, None]
    assert round_trip(graph) == graph
    assert refused({"nodes": [{"id": "a", "type": "ReLU", "name": "a", "pinned": 1}]}) == (
        "$.nodes[0].pinned"
    )


@pytest.mark.fault("S02")
def test_that_an_unknown_type_is_kept_as_it_is() -> None:
    unknown = {"id": "a", "type": "os.system", "name": "a", "params": {"command": "ls"}}
    document = {
        "format": 1,
        "nodes": [unknown | {"position": [1.0, 2.0]}],
        "edges": ["a.some.port -> b.other"],
    }
    graph = from_document(document)
    assert graph.nodes["a"].type == "os.system"
    assert json.loads(json.dumps(to_document(graph))) == document


def node(**more: object) -> dict[str, object]:
    return {"nodes": [{"id": "a", "type": "ReLU", "name": "a"} | more]}


@pytest.mark.fault("B07")
@pytest.mark.parametrize(
    ("document", "path"),
    [
        ([], "$"),
        (None, "$"),
        ({"format": "one"}, "$.format"),
        ({"format": 0}, "$.format"),
        ({"format": True}, "$.format"),
        ({"nodes": {}}, "$.nodes"),
        ({"nodes": [3]}, "$.nodes[0]"),
        ({"nodes": [{"id": "a"}]}, "$.nodes[0]"),
        (node(id="a.b"), "$.nodes[0].id"),
        (node(id=""), "$.nodes[0].id"),
        (node(position=[1]), "$.nodes[0].position"),
        (node(position=[1.0, float("inf")]), "$.nodes[0].position"),
        (node(params={"p": {"deep": 1}}), "$.nodes[0].params[...]"),
        (node(params={"p": 10**30}), "$.nodes[0].params.p"),
        (node(params={"p": [float("nan")]}), "$.nodes[0].params.p"),
        ({"edges": ["a -> b"]}, "$.edges[0]"),
        ({"edges": [["a", "b"]]}, "$.edges[0]"),
    ],
)
def test_that_a_fault_is_told_with_its_place(document: object, path: str) -> None:
    assert refused(document) == path


def test_that_a_newer_format_is_named() -> None:
    with pytest.raises(DiagnosticError) as error:
        from_document({"format": 99})
    assert error.value.problems[0].code == "G041"


@pytest.mark.fault("B08")
def test_that_a_doubled_id_gets_a_new_one_and_a_note() -> None:
    twice = {"nodes": [{"id": "a", "type": "ReLU", "name": n} for n in ("a", "b")]}
    graph, mended = read_document(twice)
    assert list(graph.nodes) == ["a", "a2"]
    assert [problem.code for problem in mended] == ["G046"]


@pytest.mark.fault("B08")
def test_that_a_huge_document_opens_in_time_or_is_refused() -> None:
    many = [{"id": f"n{i}", "type": "ReLU", "name": f"n{i}"} for i in range(MAX_NODES + 1)]
    with pytest.raises(DiagnosticError) as error:
        from_document({"nodes": many})
    assert error.value.problems[0].code == "G042"
    assert len(from_document({"nodes": many[:-1]}).nodes) == MAX_NODES


def test_that_copied_nodes_come_with_the_wires_between_them() -> None:
    graph = model((4,), ("Linear", {"out_features": 3}), ("ReLU", {}))
    copied = from_text(to_text(graph, ["linear", "relu"]))
    assert list(copied.nodes) == ["linear", "relu"]
    assert len(copied.edges) == 1


@pytest.mark.parametrize("text", ["", "hello", "{}", "[" * 100_000, '{"clipboard": 3}', "\ud800"])
def test_that_other_text_is_no_graph(text: str) -> None:
    with pytest.raises(DiagnosticError) as error:
        from_text(text)
    assert error.value.problems[0].code == "G043"


values = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**63) + 1, 2**63 - 1), st.text(max_size=5),
    st.floats(allow_nan=False, allow_infinity=False),
    st.lists(st.integers(-9, 9), max_size=3).map(tuple),
)  # fmt: skip
ids = st.from_regex(r"[a-z][a-z0-9_]{0,5}", fullmatch=True)
nodes = st.builds(
    lambda i, t, n, p, x, y: Node(id=i, type=t, name=n, params=p, position=(x, y)),
    ids, st.text(max_size=6), st.text(max_size=6),
    st.dictionaries(st.text(max_size=4), values, max_size=3),
    st.floats(-1e9, 1e9), st.floats(-1e9, 1e9),
)  # fmt: skip
ports = st.sampled_from(["output", "input", "tensors.0", "h_n"])
edges = st.builds(
    lambda a, p, b, q: Edge(source=a, source_port=p, target=b, target_port=q),
    ids,
    ports,
    ids,
    ports,
)


@given(st.lists(nodes, max_size=5), st.lists(edges, max_size=5))
@settings(max_examples=100, deadline=None)
def test_that_saving_and_loading_is_the_identity(found: list[Node], wires: list[Edge]) -> None:
    graph = Graph(nodes={n.id: n for n in found}, edges=tuple(wires))
    assert round_trip(graph) == graph


json_values: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["nodes", "edges", "format", "id", "type", "name"]), inner
        )
    ),
    max_leaves=12,
)


@pytest.mark.fault("B03", "B07")
@given(json_values)
@settings(max_examples=200, deadline=None)
def test_that_any_document_is_a_graph_or_a_told_fault(document: object) -> None:
    try:
        graph = from_document(document)
    except DiagnosticError:
        return
    json.dumps(to_document(graph))
