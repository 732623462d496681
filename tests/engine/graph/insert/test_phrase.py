import pytest
from msgspec.structs import replace

from engine.catalog.spec import Entry, Value
from engine.graph.block import offered
from engine.graph.check import check
from engine.graph.edit.block_edits import GroupNodes
from engine.graph.edit.edits import apply
from engine.graph.insert.growing import InsertionPoint, grow
from engine.graph.insert.phrase import is_phrase, parse_phrase
from engine.graph.model import Edge, Graph, Node
from tests.engine.graph.builder import model

SIZE = (180.0, 48.0)


@pytest.fixture(scope="module")
def entries() -> tuple[Entry, ...]:
    return offered(Graph(), ())


def read(text: str, entries: tuple[Entry, ...], axes: int = 2) -> list[tuple[str, dict]]:
    steps = parse_phrase(text, entries, axes)
    assert [step.problem for step in steps] == [None] * len(steps)
    return [
        (step.entry.key, {k: v for k, v in step.params.items() if v != "auto"})
        for step in steps
        if step.entry
    ]


@pytest.mark.row("N24")
def test_that_a_row_of_layers_is_read_with_its_settings(entries) -> None:
    assert read("conv 32 3 | relu | pool 2 | flatten | linear 10", entries) == [
        ("Conv2d", {"out_channels": 32, "kernel_size": 3}),
        ("ReLU", {}),
        ("MaxPool2d", {"kernel_size": 2}),
        ("Flatten", {}),
        ("Linear", {"out_features": 10}),
    ]


@pytest.mark.parametrize(
    ("text", "key", "params"),
    [
        ("conv 8 3x5 stride=2", "Conv2d", {"kernel_size": (3, 5), "stride": 2}),
        ("conv 8 (3, 5) pad = 1", "Conv2d", {"kernel_size": (3, 5), "padding": 1}),
        ("Conv2d(8, 3, padding=1)", "Conv2d", {"out_channels": 8, "padding": 1}),
        ("dropout 0.25", "Dropout", {"p": 0.25}),
        ("linear 10 bias=false", "Linear", {"bias": False}),
        ("view -1,4", "view", {"shape": (-1, 4)}),
        ("bn", "BatchNorm2d", {}),
        ("fc 5", "Linear", {"out_features": 5}),
        ("conv1d 4 3", "Conv1d", {"out_channels": 4}),
    ],
)
def test_that_a_layer_is_read(text: str, key: str, params: dict[str, Value], entries) -> None:
    ((found, values),) = read(text, entries)
    assert found == key
    assert params.items() <= values.items()


@pytest.mark.parametrize(("axes", "key"), [(1, "Conv1d"), (2, "Conv2d"), (3, "Conv3d")])
def test_that_the_layer_fits_the_axes_that_arrive(axes: int, key: str, entries) -> None:
    ((found, _),) = read("conv 4 3", entries, axes)
    assert found == key


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("qqqq", "G090"),
        ("convolution_net", "G090"),
        ("lin_ear 3", None),
        ("linear 3 true 5", "G093"),
        ("linear depth=3", "G092"),
        ("linear many", "C002"),
        ("linear -3", "C004"),
        ("atten", "G091"),
    ],
)
def test_that_what_is_not_understood_is_said(text: str, code: str | None, entries) -> None:
    (step,) = parse_phrase(text, entries)
    assert (step.problem.code if step.problem else None) == code


def test_that_a_slip_is_met_with_what_was_meant(entries) -> None:
    (step,) = parse_phrase("pol 2", entries)
    assert step.problem is not None
    assert str(step.problem.params["names"]).startswith("pool")


def test_that_any_text_is_answered_with_words(entries) -> None:
    for text in ("", " | | ", "=", "conv =3", "conv (", ")(", "conv 3)(", "|" * 500, "é=ü 3"):
        for step in parse_phrase(text, entries):
            assert (step.entry is not None) or (step.problem is not None)


def test_that_a_search_is_no_phrase() -> None:
    assert not is_phrase("batch norm")
    assert not is_phrase("conv")
    assert not is_phrase("")
    assert is_phrase("conv 32")
    assert is_phrase("linear bias=false")
    assert is_phrase("relu |")


def same(node: Node) -> Node:
    return node


def row(text: str, entries: tuple[Entry, ...]) -> list[tuple[Entry, dict[str, Value]]]:
    return [(step.entry, step.params) for step in parse_phrase(text, entries) if step.entry]


def place(graph: Graph, **where) -> InsertionPoint:
    return InsertionPoint((0.0, 0.0), SIZE, dict.fromkeys(graph.nodes, SIZE), 2000.0, **where)


def wires(graph: Graph) -> set[tuple[str, str]]:
    return {(edge.source, edge.target) for edge in graph.edges}


@pytest.mark.row("N24")
def test_that_a_row_grows_after_an_output(entries) -> None:
    graph = model((4,), ("ReLU", {}, "last"))
    grown = grow(
        graph, row("linear 3 | tanh", entries), place(graph, source=("last", "output")), same
    )
    after = apply(grown.edit, graph)
    assert grown.ids == ("linear", "tanh")
    assert {("last", "linear"), ("linear", "tanh")} <= wires(after)
    assert len({node.position for node in list(after.nodes.values())[-2:]}) == 2


def test_that_a_row_grows_into_a_wire(entries) -> None:
    graph = model((4,), ("ReLU", {}, "a"), ("ReLU", {}, "b"))
    edge = Edge(source="a", source_port="output", target="b", target_port="input")
    grown = grow(graph, row("linear 4 | tanh", entries), place(graph, edge=edge), same)
    after = apply(grown.edit, graph)
    assert {("a", "linear"), ("linear", "tanh"), ("tanh", "b")} <= wires(after)
    assert ("a", "b") not in wires(after)
    assert check(after) == ()


def test_that_a_row_grows_before_an_input(entries) -> None:
    graph = Graph(nodes={"b": Node(id="b", type="ReLU", name="b")})
    grown = grow(graph, row("input | tanh", entries), place(graph, target=("b", "input")), same)
    assert wires(apply(grown.edit, graph)) == {("x", "tanh"), ("tanh", "b")}


def test_that_a_whole_model_grows_from_nothing(entries) -> None:
    grown = grow(Graph(), row("input | linear 4 | relu | output", entries), place(Graph()), same)
    assert check(apply(grown.edit, Graph())) == ()


def test_that_an_input_takes_what_the_data_has_for_what_the_phrase_leaves_open(entries) -> None:
    data: dict[str, Value] = {"field": "image", "shape": (1, 28, 28)}

    def fit(node: Node) -> Node:
        return replace(node, params={**node.params, **data})

    for phrase, shape in (("input", (1, 28, 28)), ("input shape=(3,4)", (3, 4))):
        grown = grow(Graph(), row(phrase, entries), place(Graph()), fit)
        (node,) = apply(grown.edit, Graph()).nodes.values()
        assert (node.params["field"], node.params["shape"]) == ("image", shape)


def test_that_blocks_are_named_in_a_phrase() -> None:
    graph = apply(
        GroupNodes(ids=("a", "b"), name="Tail"), model((4,), ("ReLU", {}, "a"), ("ReLU", {}, "b"))
    )
    (step,) = parse_phrase("tail", offered(graph, ()))
    assert step.entry is not None
    assert step.entry.key == "block.Tail"
