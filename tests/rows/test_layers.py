"""Rows of the capability table about layers: offered, sized on the canvas and run as torch runs."""

import warnings

import pytest
import torch
from torch import nn

from engine.catalog.registry import catalog
from engine.catalog.spec import Value
from engine.diagnostics import sentence
from engine.graph.model import Graph
from engine.model.analysis import analyse
from engine.model.module import to_module
from engine.model.source import to_source
from studio.help.presenter import page_text
from tests.engine.graph.builder import Spec, add, model, wire


def shape_of(graph: Graph, node: str, port: str = "output") -> tuple[int | str, ...]:
    analysis = analyse(graph)
    assert analysis.is_ok(), [sentence(problem) for problem in analysis.problems]
    return analysis.nodes[node].outputs[port].shape


def weights(graph: Graph) -> dict[str, tuple[int, ...]]:
    return {name: tuple(value.shape) for name, value in to_module(graph).state_dict().items()}


@pytest.mark.row("S058")
def test_that_a_linear_layer_works_on_the_last_axis() -> None:
    graph = model((5, 8), ("Linear", {"out_features": 3}, "fc"))
    assert shape_of(graph, "fc") == ("N", 5, 3)
    assert weights(graph) == {"fc.weight": (3, 8), "fc.bias": (3,)}


@pytest.mark.row("S059")
def test_that_the_number_of_inputs_is_inferred_by_default() -> None:
    entry = catalog().node("Linear")
    assert entry is not None
    assert entry.initial_params()["in_features"] == "auto"
    graph = model((1, 28, 28), ("Flatten", {}), ("Linear", {"out_features": 10}, "fc"))
    assert analyse(graph).nodes["fc"].resolved == {"in_features": 784}
    lazy = nn.Sequential(nn.Flatten(), nn.LazyLinear(10))
    lazy(torch.zeros(2, 1, 28, 28))
    assert weights(graph)["fc.weight"] == tuple(lazy[1].weight.shape)


@pytest.mark.row("S060")
@pytest.mark.parametrize(
    "params",
    [
        {"kernel_size": 3},
        {"kernel_size": (5, 3), "stride": 2},
        {"kernel_size": 3, "padding": 1, "dilation": 2},
        {"kernel_size": 4, "padding": "same", "groups": 2},
    ],
)
def test_that_a_convolution_is_sized_as_torch_sizes_it(params: dict[str, Value]) -> None:
    graph = model((4, 28, 20), ("Conv2d", {"out_channels": 6, **params}, "conv"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an even kernel with padding "same" pads a copy
        actual = tuple(to_module(graph)(torch.zeros(1, 4, 28, 20)).shape)
    assert shape_of(graph, "conv") == ("N", *actual[1:])


@pytest.mark.row("S061")
def test_that_pooling_halves() -> None:
    for key in ("MaxPool2d", "max_pool2d"):
        graph = model((3, 28, 28), (key, {"kernel_size": 2}, "pool"))
        assert shape_of(graph, "pool") == ("N", 3, 14, 14)


@pytest.mark.row("S062")
def test_that_activations_are_layers_and_operators() -> None:
    value = torch.linspace(-2, 2, 4).reshape(1, 4)
    for layer, operator in (("ReLU", "relu"), ("Sigmoid", "sigmoid"), ("Tanh", "tanh")):
        as_layer = to_module(model((4,), (layer, {})))(value)
        as_operator = to_module(model((4,), (operator, {})))(value)
        assert torch.equal(as_layer, as_operator)
    assert "torch.sigmoid(x)" in to_source(model((4,), ("sigmoid", {})))


@pytest.mark.row("S063")
def test_that_softmax_takes_its_axis() -> None:
    value = torch.rand(2, 3, 4, generator=torch.Generator().manual_seed(0))
    for dim in (1, -1):
        soft = to_module(model((3, 4), ("Softmax", {"dim": dim})))(value)
        assert torch.allclose(soft.sum(dim), torch.ones(()))
        logs = to_module(model((3, 4), ("LogSoftmax", {"dim": dim})))(value)
        assert torch.allclose(logs.exp(), soft)


@pytest.mark.row("S064")
def test_that_batch_normalisation_learns_in_training_and_keeps_in_evaluation() -> None:
    params: dict[str, Value] = {"momentum": 0.5, "affine": False}
    module = to_module(model((3, 4, 4), ("BatchNorm2d", params, "norm")))
    value = torch.rand(8, 3, 4, 4, generator=torch.Generator().manual_seed(0)) + 5
    trained = module(value)
    assert torch.allclose(trained.mean((0, 2, 3)), torch.zeros(3), atol=1e-5)
    kept = module.state_dict()["norm.running_mean"].clone()
    module.eval()(value)
    assert torch.equal(module.state_dict()["norm.running_mean"], kept)
    untracked = model((8,), ("BatchNorm1d", {"track_running_stats": False}, "norm"))
    assert set(weights(untracked)) == {"norm.weight", "norm.bias"}


@pytest.mark.row("S065")
def test_that_dropout_is_a_layer_that_rests_in_evaluation() -> None:
    module = to_module(model((6,), ("Dropout", {"p": 0.9}))).eval()
    assert torch.equal(module(torch.ones(2, 6)), torch.ones(2, 6))
    assert catalog().node("dropout") is None
    problems = analyse(model((6,), ("Dropout2d", {}))).problems
    assert [problem.severity for problem in problems] == ["warning"]


@pytest.mark.row("S066")
def test_that_an_embedding_has_all_its_options_and_a_zero_row() -> None:
    options: dict[str, Value] = {
        "num_embeddings": 20, "embedding_dim": 4, "padding_idx": 3, "max_norm": 1.0,
        "norm_type": 1.0, "scale_grad_by_freq": True, "sparse": True,
    }  # fmt: skip
    entry = catalog().node("Embedding")
    assert entry is not None
    assert {param.name for param in entry.params} >= options.keys()
    graph = model((7,), ("Embedding", options, "words"), dtype="int64")
    assert shape_of(graph, "words") == ("N", 7, 4)
    assert torch.equal(to_module(graph)(torch.full((1, 7), 3)), torch.zeros(1, 7, 4))


@pytest.mark.row("S067")
def test_that_a_gru_has_two_inputs_and_two_outputs() -> None:
    entry = catalog().node("GRU")
    assert entry is not None
    assert len(entry.inputs) == len(entry.outputs) == 2
    graph = model((9, 5), ("GRU", {"hidden_size": 6, "batch_first": True}, "gru"))
    graph, _ = add(graph, "Input", "start", shape=(6,))
    graph, _ = add(graph, "unsqueeze", "first", dim=0)
    graph, _ = add(graph, "Output", "hidden")
    graph = wire(wire(graph, "start", "first"), "first", "gru.hx")
    graph = wire(graph, "gru.h_n", "hidden")
    assert shape_of(graph, "gru") == ("N", 9, 6)
    assert shape_of(graph, "gru", "h_n") == (1, "N", 6)
    output, hidden = to_module(graph)(torch.zeros(2, 9, 5), torch.zeros(2, 6))
    assert torch.equal(output[:, -1], hidden[0])


@pytest.mark.row("S068")
@pytest.mark.parametrize("key", ["RNN", "LSTM"])
def test_that_recurrent_layers_run_over_the_time(key: str) -> None:
    params: dict[str, Value] = {"hidden_size": 6, "batch_first": True, "bidirectional": True}
    graph = model((9, 5), (key, params, "rnn"))
    assert shape_of(graph, "rnn") == ("N", 9, 12)
    assert shape_of(graph, "rnn", "h_n") == (2, "N", 6)


@pytest.mark.row("S069")
def test_that_flatten_takes_its_axes() -> None:
    assert shape_of(model((3, 4, 5), ("Flatten", {}, "flat")), "flat") == ("N", 60)
    some: dict[str, Value] = {"start_dim": 2, "end_dim": 3}
    assert shape_of(model((3, 4, 5), ("Flatten", some, "flat")), "flat") == ("N", 3, 20)
    whole = model((3, 4), ("Flatten", {"start_dim": 0, "end_dim": -1}, "flat"))
    assert shape_of(whole, "flat") == ("12*N",)


@pytest.mark.row("S070")
def test_that_a_chain_computes_what_a_sequential_computes() -> None:
    layers: list[Spec] = [
        ("Linear", {"out_features": 5}),
        ("ReLU", {}),
        ("Linear", {"out_features": 2}),
    ]
    module = to_module(model((4,), *layers))
    twin = nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Linear(5, 2))
    twin.load_state_dict(dict(zip(twin.state_dict(), module.state_dict().values(), strict=True)))
    value = torch.rand(3, 4, generator=torch.Generator().manual_seed(0))
    assert torch.equal(module(value), twin(value))


@pytest.mark.row("S110")
def test_that_the_fashion_mlp_has_its_parameters() -> None:
    graph = model(
        (1, 28, 28),
        ("Flatten", {}),
        ("Linear", {"out_features": 512}, "fc1"),
        ("ReLU", {}, "act1"),
        ("Linear", {"out_features": 512}, "fc2"),
        ("ReLU", {}, "act2"),
        ("Linear", {"out_features": 10}, "fc3"),
    )
    analysis = analyse(graph)
    assert analysis.parameters == 669_706
    assert sum(p.numel() for p in to_module(graph).parameters()) == 669_706
    assert shape_of(graph, "fc3") == ("N", 10)


@pytest.mark.row("P03")
def test_that_shapes_types_and_counts_stand_on_every_node() -> None:
    graph = model((1, 8, 8), ("Conv2d", {"out_channels": 4, "kernel_size": 3}), ("Flatten", {}))
    analysis = analyse(graph)
    assert all(report.outputs for report in analysis.nodes.values())
    assert analysis.nodes["conv"].parameters == 40
    assert analysis.nodes["conv"].outputs["output"].dtype == "float32"


@pytest.mark.row("P04")
def test_that_a_mistake_is_located_before_training() -> None:
    graph = model(
        (1, 8, 8), ("Flatten", {}), ("Linear", {"in_features": 9, "out_features": 2}, "fc")
    )
    (problem,) = analyse(graph).problems
    assert (problem.node, problem.field) == ("fc", "in_features")
    assert "9 features but receives 64" in sentence(problem)


@pytest.mark.row("S074")
def test_that_what_has_weights_is_a_layer_and_what_has_none_may_be_a_function() -> None:
    for entry in catalog().nodes():
        if entry.weights:
            assert entry.target.startswith("nn."), entry.key
        if entry.target.startswith("F."):
            assert not entry.weights
    source = to_source(model((4,), ("Linear", {"out_features": 3}), ("relu", {}), ("Dropout", {})))
    assert "self.linear = nn.Linear(4, 3)" in source
    assert "F.relu(" in source
    assert "self.dropout = nn.Dropout(" in source
    for language in ("en", "zh_CN"):
        assert "nn.functional" in page_text("background", language)


@pytest.mark.row("S080")
def test_that_the_number_of_parameters_is_that_of_the_module() -> None:
    shared: dict[str, Value] = {"out_features": 4}
    graph = model((4,), ("Linear", shared, "a"), ("Linear", shared, "b"), ("LayerNorm", {}))
    assert analyse(graph).parameters == sum(p.numel() for p in to_module(graph).parameters()) == 48
