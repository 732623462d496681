"""What a search tries: reading it, checking it, and applying the settings of a trial."""

import pytest

from engine.diagnostics import DiagnosticError
from engine.graph.model import Block, Edge, Graph, Node
from engine.spec.fields import get_value
from engine.spec.search import (
    Dimension,
    SearchSpec,
    check_search,
    dimension_text,
    grid_size,
    grid_values,
    parse_dimension,
    searchable_settings,
    with_settings,
)
from tests.tiny_run import iris_graph, iris_spec


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "optimizer.lr=1e-4..1e-1:log",
            Dimension(name="optimizer.lr", low=1e-4, high=0.1, is_log=True),
        ),
        ("epochs = 2..10:2", Dimension(name="epochs", low=2, high=10, step=2)),
        ("clip.limit=0.5..1.5", Dimension(name="clip.limit", low=0.5, high=1.5)),
        ("optimizer=Adam, SGD", Dimension(name="optimizer", choices=("Adam", "SGD"))),
        ("data.batch_size=16", Dimension(name="data.batch_size", choices=("16",))),
    ],
)
def test_that_a_dimension_is_read_and_written_alike(text, expected):
    assert parse_dimension(text) == expected
    assert parse_dimension(f"{expected.name}={dimension_text(expected)}") == expected


@pytest.mark.parametrize("text", ["", "lr", "=1..2", "lr=", "lr=a..b", "lr=1..2:fast"])
def test_that_what_is_no_dimension_is_told_with_an_example(text):
    with pytest.raises(DiagnosticError) as caught:
        parse_dimension(text)
    assert caught.value.problems[0].code == "R300"


@pytest.mark.parametrize(
    ("texts", "codes"),
    [
        ([], ["R301"]),
        (["optimizer.lr=1..2", "optimizer.lr=1..3"], ["R302", "R302"]),
        (["optimizer=1..2"], ["R305"]),
        (["optimizer.lr=2..1"], ["R306"]),
        (["optimizer.lr=0..1:log"], ["R307"]),
        (["optimizer.lr=0.1..1:-1"], ["R308"]),
        (["model.hidden.nothing=1..2"], ["R309"]),
        (["model.hidden.out_features=0..8"], ["C004"]),
        (["optimzer.lr=1..2"], ["R006"]),
        (["optimizer=Adam,Adamm"], ["C006"]),
        (["optimizer.momentum=0.1..0.9"], ["R006"]),
        (["optimizer=AdamW,SGD", "optimizer.momentum=0.1..0.9"], []),
        (["model.hidden.out_features=4..16:4", "optimizer.lr=1e-4..1:log"], []),
    ],
)
def test_that_each_mistake_of_a_search_has_its_sentence(texts, codes):
    search = SearchSpec(space=tuple(map(parse_dimension, texts)))
    found = check_search(search, iris_graph(), iris_spec())
    assert [problem.code for problem in found] == codes


def test_that_a_trial_changes_recipe_and_model_and_leaves_out_what_a_choice_does_not_have():
    settings = {"optimizer.momentum": 0.5, "optimizer": "SGD", "model.hidden.out_features": 32}
    graph, spec = with_settings(iris_graph(), iris_spec(), settings)
    assert graph.nodes["hidden"].params["out_features"] == 32
    assert (spec.optimizer.type, get_value(spec, "optimizer.momentum")) == ("SGD", 0.5)
    graph, spec = with_settings(iris_graph(), iris_spec(), {"optimizer.momentum": 0.5})
    assert (graph, spec) == (iris_graph(), iris_spec())


def test_that_a_layer_inside_a_block_is_varied_by_the_names_that_lead_to_it():
    inner = {
        "in": Node(id="in", type="BlockInput", name="x"),
        "fc": Node(id="fc", type="Linear", name="fc", params={"out_features": 3}),
        "out": Node(id="out", type="BlockOutput", name="y"),
    }
    wires = tuple(
        Edge(source=a, source_port="output", target=b, target_port="input")
        for a, b in (("in", "fc"), ("fc", "out"))
    )
    use = Node(id="u", type="block.Part", name="part")
    graph = Graph(nodes={"u": use}, blocks={"Part": Block(nodes=inner, edges=wires)})
    assert "model.part/fc.out_features" in dict(searchable_settings(graph, iris_spec()))
    changed, _ = with_settings(graph, iris_spec(), {"model.part/fc.out_features": 7})
    assert changed.blocks["Part"].nodes["fc"].params["out_features"] == 7


@pytest.mark.parametrize(
    ("text", "whole", "expected"),
    [
        ("a=1..9", False, (1, 5, 9)),
        ("a=0.01..1:log", False, (0.01, 0.1, 1)),
        ("a=8..24:8", True, (8, 16, 24)),
        ("a=1..2", True, (1, 2)),
        ("a=x,y", False, ("x", "y")),
    ],
)
def test_that_a_grid_takes_each_value_once(text, whole, expected):
    assert grid_values(parse_dimension(text), 3, whole=whole) == expected


def test_that_a_grid_of_too_many_combinations_is_refused():
    texts = [f"model.{name}.out_features=1..300:1" for name in ("hidden", "head")]
    search = SearchSpec(space=tuple(map(parse_dimension, texts)), method="grid")
    assert grid_size(search, iris_graph(), iris_spec()) == 90_000
    assert [p.code for p in check_search(search, iris_graph(), iris_spec())] == ["R304"]
