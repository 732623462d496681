"""How parameters begin: what is chosen is written as torch's own functions, and is what runs."""

import msgspec
import pytest
import torch
from torch import nn

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup, Value, WeightMatch, WeightSpec
from engine.diagnostics import sentence
from engine.graph.block import entry_of
from engine.graph.codec import from_document, to_document
from engine.graph.edit.block_edits import DescribeBlock, GroupNodes, SetRepeat, ShareModule
from engine.graph.edit.edits import EditBlock, SetParam, apply
from engine.graph.error import GraphError
from engine.graph.model import BlockStyle, Graph, Initial, Node
from engine.graph.node_state.initialization import (
    SetInitial,
    initial_of,
    initialiser,
    initialisers,
    weights_of,
)
from engine.model.analysis import analyse
from engine.model.module import to_module
from engine.model.source import generate_whole, to_source
from tests.engine.graph.builder import add, model, wire

FILLING = [e for e in catalog().group(EntryGroup.INITIALISER) if e.target]
LAYERS = [entry for entry in catalog().group(EntryGroup.LAYER) if entry.weights]
RELU: dict[str, Value] = {"mode": "fan_out", "nonlinearity": "relu"}


def begun(graph: Graph, node: str, weight: str, type_: str, **params: Value) -> Graph:
    initial = Initial(type=type_, params=params)
    return apply(SetInitial(ids=(node,), weight=weight, initial=initial), graph)


def perceptron() -> Graph:
    return model(
        (8,), ("Linear", {"out_features": 6}, "hidden"), ("Linear", {"out_features": 3}, "head")
    )


def started(graph: Graph, seed: int = 3) -> dict[str, torch.Tensor]:
    torch.manual_seed(seed)
    return to_module(graph).state_dict()


@pytest.mark.row("S083")
def test_that_what_is_chosen_stands_in_the_class_and_is_what_runs() -> None:
    graph = model((3, 8, 8), ("Conv2d", {"out_channels": 4, "kernel_size": 3}, "conv"))
    assert "nn.init" not in to_source(graph)
    graph = begun(graph, "conv", "weight", "kaiming_normal_", **RELU)
    graph = begun(graph, "conv", "bias", "constant_", val=0.5)
    line = '        nn.init.kaiming_normal_(self.conv.weight, mode="fan_out", nonlinearity="relu")'
    written = generate_whole(graph)
    number = written.source.splitlines().index(line) + 1
    assert written.lines[number] == "conv"
    assert "        nn.init.constant_(self.conv.bias, 0.5)\n" in written.source
    torch.manual_seed(3)
    conv = nn.Conv2d(3, 4, 3)
    nn.init.kaiming_normal_(conv.weight, mode="fan_out", nonlinearity="relu")
    found = started(graph)
    assert torch.equal(found["conv.weight"], conv.weight)
    assert found["conv.bias"].tolist() == [0.5] * 4


def made(graph: Graph, node: Node, weight: WeightSpec) -> list[torch.Tensor]:
    """Return the parameters of a built layer that a specification means."""
    module = to_module(graph).get_submodule(node.name)
    named = dict(module.named_parameters())
    match weight.match:
        case WeightMatch.ONE:
            return [named[weight.name]]
        case WeightMatch.PREFIX:
            return [value for name, value in named.items() if name.startswith(weight.name)]
        case WeightMatch.SUFFIX:
            return [value for name, value in named.items() if name.endswith(weight.name)]
        case WeightMatch.MATRICES:
            return [value for value in named.values() if value.dim() > 1]


SHAPES: dict[str, tuple[int, ...]] = {
    "Embedding": (5,), "EmbeddingBag": (5,), "Bilinear": (6,), "Linear": (6,), "PReLU": (6,),
    "RNNCell": (6,), "LSTMCell": (6,), "GRUCell": (6,), "BatchNorm1d": (6, 7),
    "InstanceNorm1d": (6, 7),
}  # fmt: skip
SIZES: dict[str, Value] = {
    "num_heads": 2, "nhead": 2, "num_groups": 2, "num_layers": 2, "num_embeddings": 9,
    "embedding_dim": 4, "d_model": 6, "num_encoder_layers": 1, "num_decoder_layers": 1,
    "dim_feedforward": 8, "affine": True, "normalized_shape": (6,), "hidden_size": 4,
    "out_features": 3, "out_channels": 4, "kernel_size": 2, "batch_first": True,
}  # fmt: skip


def alone(key: str) -> tuple[Graph, Node]:
    """Return a model of one layer."""
    entry = catalog().node(key)
    assert entry is not None
    names = {param.name for param in entry.params}
    params = {name: value for name, value in SIZES.items() if name in names}
    axes = 3 if "3d" in key else 2 if "2d" in key or key == "SyncBatchNorm" else 1
    is_spatial = any(key.startswith(s) for s in ("Conv", "Batch", "Instance", "Sync", "Group"))
    shape = SHAPES.get(key, (6, *(7,) * axes) if is_spatial else (5, 6))
    graph, _ = add(Graph(), key, "layer", **params)
    for index, port in enumerate(entry.inputs):
        if port.required:
            extra = {"dtype": "int64"} if key.startswith("Embedding") else {}
            graph, source = add(graph, "Input", f"x{index}", shape=shape, **extra)
            graph = wire(graph, source.id, f"layer.{port.name}")
    graph, _ = add(graph, "Output", "output")
    return wire(graph, "layer", "output"), graph.nodes["layer"]


@pytest.mark.parametrize("entry", LAYERS, ids=lambda entry: entry.key)
def test_that_every_parameter_of_a_layer_can_be_given_another_beginning(entry) -> None:
    graph, node = alone(entry.key)
    assert analyse(graph).is_ok(), analyse(graph).problems
    specs = weights_of(graph, node)
    assert specs
    for number, weight in enumerate(specs):
        for value in made(graph, node, weight):
            assert value.dim() == weight.rank or weight.match is WeightMatch.MATRICES
        graph = begun(graph, "layer", weight.name, "constant_", val=float(number + 2))
    for number, weight in enumerate(specs):
        for value in made(graph, graph.nodes["layer"], weight):
            assert set(value.flatten().tolist()) == {number + 2.0}, weight.name


def test_that_a_layer_with_parameters_says_which() -> None:
    silent = []
    for entry in catalog().group(EntryGroup.LAYER):
        owner = getattr(nn, entry.key)
        text = str(owner.__init__.__code__.co_names) + str(getattr(owner, "reset_parameters", ""))
        if "reset_parameters" in text and not entry.weights:
            silent.append(entry.key)
    assert silent == []


@pytest.mark.parametrize("entry", FILLING, ids=lambda entry: entry.key)
def test_that_every_function_of_torch_is_offered_where_it_fits_and_fills(entry) -> None:
    conv = model((4, 8, 8), ("Conv2d", {"out_channels": 4, "kernel_size": 3}, "layer"))
    linear = model((8,), ("Linear", {"out_features": 8}, "layer"))
    tried = 0
    for graph in (conv, linear):
        for weight in weights_of(graph, graph.nodes["layer"]):
            initial = initial_of(entry)
            edit = SetInitial(ids=("layer",), weight=weight.name, initial=initial)
            if entry not in initialisers(graph, weight.rank):
                with pytest.raises(GraphError) as caught:
                    apply(edit, graph)
                assert caught.value.problems[0].code == "G101"
                continue
            after = apply(edit, graph)
            assert analyse(after).is_ok()
            before, now = started(graph), started(after)
            name = f"layer.{weight.name}"
            assert not torch.equal(before[name], now[name])
            tried += 1
    assert tried >= 1
    assert {e.key for e in FILLING} == {n for n in dir(nn.init) if n.endswith("_") and n[0] != "_"}


def test_that_a_gain_is_that_of_the_activation() -> None:
    graph = begun(perceptron(), "head", "weight", "xavier_uniform_", activation="tanh")
    line = 'nn.init.xavier_uniform_(self.head.weight, gain=nn.init.calculate_gain("tanh"))'
    assert f"        {line}\n" in to_source(graph)
    graph = begun(graph, "head", "weight", "orthogonal_", gain=2.0)
    assert "nn.init.orthogonal_(self.head.weight, gain=2.0)" in to_source(graph)
    weight = started(graph)["head.weight"]
    assert torch.allclose(weight @ weight.T, 4 * torch.eye(3), atol=1e-5)


def test_that_the_layers_of_a_recurrent_net_begin_alike() -> None:
    graph = model((5, 6), ("LSTM", {"hidden_size": 4, "num_layers": 2, "batch_first": True}, "rnn"))
    graph = begun(graph, "rnn", "weight_hh", "orthogonal_")
    text = to_source(graph)
    assert 'if name.startswith("weight_hh"):\n                nn.init.orthogonal_(weight)' in text
    found = started(graph)
    for name in ("rnn.weight_hh_l0", "rnn.weight_hh_l1"):
        assert torch.allclose(found[name].T @ found[name], torch.eye(4), atol=1e-5)


def test_that_copies_shared_layers_and_chains_each_begin_as_chosen() -> None:
    graph = begun(perceptron(), "hidden", "bias", "ones_")
    graph = apply(SetParam(id="hidden", name="out_features", value=8), graph)
    graph = apply(SetRepeat(id="hidden", repeat=3), graph)
    text = to_source(graph)
    assert "for layer in self.hidden:\n            nn.init.ones_(layer.bias)" in text
    found = started(graph)
    assert all(found[f"hidden.{i}.bias"].tolist() == [1.0] * 8 for i in range(3))
    tied = apply(SetRepeat(id="hidden", repeat=3, tied=True), graph)
    assert "        nn.init.ones_(self.hidden.bias)\n" in to_source(tied)
    twice = model((4,), ("Linear", {"out_features": 4}, "a"), ("Linear", {"out_features": 4}, "b"))
    twice = begun(begun(twice, "a", "bias", "ones_"), "b", "bias", "zeros_")
    twice = apply(ShareModule(id="b", source="a"), twice)
    assert to_source(twice).count("nn.init.") == 1
    assert weights_of(twice, twice.nodes["b"]) == ()


def test_that_blocks_say_how_their_layers_begin() -> None:
    graph = begun(perceptron(), "hidden", "bias", "ones_")
    graph = begun(graph, "head", "weight", "kaiming_normal_", **RELU)
    graph = apply(GroupNodes(ids=("hidden", "head"), name="Body"), graph)
    whole = apply(DescribeBlock(name="Body", style=BlockStyle.CLASS), graph)
    text = to_source(whole)
    assert text.index("nn.init.ones_(self.hidden.bias)") < text.index("class Model")
    chain = apply(DescribeBlock(name="Body", style=BlockStyle.SEQUENTIAL), graph)
    text = to_source(chain)
    assert "nn.init.ones_(self.body.hidden.bias)" in text
    assert {**started(chain)}["body.hidden.bias"].tolist() == [1.0] * 6
    use = next(node.id for node in chain.nodes.values() if node.type == "block.Body")
    inner = EditBlock(block="Body", edit=SetParam(id="head", name="out_features", value=8))
    many = apply(SetRepeat(id=use, repeat=2), apply(inner, chain))
    assert "for layer in self.body:\n            nn.init.ones_(layer.hidden.bias)" in to_source(
        many
    )
    assert started(many)["body.1.hidden.bias"].tolist() == [1.0] * 6


def test_that_the_row_of_the_padding_stays_zero() -> None:
    params: dict[str, Value] = {"num_embeddings": 5, "embedding_dim": 3, "padding_idx": 1}
    graph = begun(
        model((4,), ("Embedding", params, "words"), dtype="int64"), "words", "weight", "normal_"
    )
    weight = started(graph)["words.weight"]
    assert weight[1].tolist() == [0.0] * 3
    assert bool(weight[0].abs().sum() > 0)


def test_that_a_bias_that_is_not_there_is_not_written() -> None:
    graph = begun(perceptron(), "head", "bias", "ones_")
    graph = apply(SetParam(id="head", name="bias", value=False), graph)
    assert "nn.init" not in to_source(graph)
    assert analyse(graph).is_ok()
    again = apply(SetParam(id="head", name="bias", value=True), graph)
    assert "nn.init.ones_(self.head.bias)" in to_source(again)


def test_that_what_is_wrong_is_told_at_its_field() -> None:
    graph = perceptron()
    head = graph.nodes["head"]
    for initial, code, field in (
        (Initial(type="teapot_"), "G100", "@init.weight"),
        (Initial(type="dirac_"), "G101", "@init.weight"),
        (Initial(type="sparse_", params={"sparsity": 2.0}), "C004", "@init.weight.sparsity"),
    ):
        node = msgspec.structs.replace(head, init={"weight": initial})
        wrong = msgspec.structs.replace(graph, nodes={**graph.nodes, "head": node})
        found = [p for p in analyse(wrong).problems if p.node == "head"]
        assert [(p.code, p.field) for p in found] == [(code, field)]
        assert "head" not in analyse(wrong).source
        for language in ("en", "zh_CN"):
            assert sentence(found[0], language)


def test_that_a_document_keeps_how_parameters_begin() -> None:
    graph = begun(perceptron(), "head", "weight", "kaiming_normal_", **RELU)
    document = to_document(graph)
    nodes = {node["id"]: node for node in document["nodes"]}
    assert nodes["head"]["init"] == {"weight": {"type": "kaiming_normal_", "params": RELU}}
    assert "init" not in nodes["hidden"]
    assert from_document(document) == graph
    assert initialiser(graph, "kaiming_normal_") is not None
    assert entry_of(graph, graph.nodes["head"]) is not None


def test_that_a_choice_without_one_is_that_of_torch_again() -> None:
    graph = begun(perceptron(), "head", "weight", "zeros_")
    assert apply(SetInitial(ids=("head",), weight="weight"), graph) == perceptron()
