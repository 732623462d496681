"""Every node runs with what it suggests, and its ports are what really goes in and out."""

import pytest
import torch

from engine.catalog.registry import catalog
from engine.catalog.spec import MAXIMUM_PORTS, Entry, EntryGroup
from tests.each import for_each

LAYERS = catalog().group(EntryGroup.LAYER)
OPERATORS = catalog().group(EntryGroup.OPERATOR)
# The fractional pools look at random numbers, which have no values on the meta device.
ON_META = [entry for entry in LAYERS if not entry.key.startswith("FractionalMaxPool")]


def node(key: str) -> Entry:
    entry = catalog().node(key)
    assert entry is not None
    return entry


def names(entry: Entry, **params) -> tuple[str, ...]:
    return tuple(port.name for port in entry.output_ports(params))


@for_each("entry", [*LAYERS, *OPERATORS], lambda entry: entry.key)
def test_that_every_node_runs_with_its_suggestions(entry, guess, call):
    params, given = guess(entry)
    outputs = call(entry, params, given)
    assert outputs
    assert all(isinstance(value, torch.Tensor) for value in outputs.values())


@for_each("entry", ON_META, lambda entry: entry.key)
def test_that_every_layer_tells_its_shape_without_data(entry, guess, call):
    params, given = guess(entry)
    with torch.device("meta"):
        found = call(entry, params, {name: value.to("meta") for name, value in given.items()})
    real = call(entry, params, given)
    assert {n: v.shape for n, v in found.items()} == {n: v.shape for n, v in real.items()}


@for_each("entry", LAYERS, lambda entry: entry.key)
def test_that_every_set_of_outputs_is_what_the_layer_returns(entry, guess, call):
    params, given = guess(entry)
    for variant in entry.variants:
        value = not variant.when.startswith("!")
        chosen = params | {variant.when.removeprefix("!"): value}
        outputs = call(entry, chosen, given)
        assert tuple(outputs) == tuple(port.name for port in variant.outputs)
        assert all(isinstance(value, torch.Tensor) for value in outputs.values())


def test_that_pooling_returns_indices_on_request():
    pool = node("MaxPool2d")
    assert names(pool) == ("output",)
    assert names(pool, return_indices=True) == ("output", "indices")
    assert names(node("MultiheadAttention")) == ("attn_output", "attn_weights")
    assert names(node("MultiheadAttention"), need_weights=False) == ("attn_output",)


def test_that_the_number_of_parts_follows_the_parameter():
    assert names(node("chunk"), chunks=3) == ("output.0", "output.1", "output.2")
    assert names(node("split"), sizes=(2, 3)) == ("output.0", "output.1")
    assert names(node("chunk"), chunks=10**9) == names(node("chunk"))
    assert names(node("chunk"), chunks="x") == names(node("chunk"))
    assert len(names(node("chunk"), chunks=MAXIMUM_PORTS)) == MAXIMUM_PORTS


@pytest.mark.parametrize("key", ["add", "sub", "mul", "div", "pow", "eq", "where", "rsub"])
def test_that_a_number_stands_in_for_the_second_operand(key, guess, call):
    entry = node(key)
    _, given = guess(entry)
    wired = call(entry, {}, given | {"other": torch.full_like(given["input"], 2.0)})
    del given["other"]
    alone = call(entry, {"other": 2.0}, given)
    assert torch.equal(wired["output"], alone["output"])
    other = entry.inputs[-1]
    assert (other.name, other.required) == ("other", False)
    param = entry.param("other")
    assert param is not None
    assert param.default is None


def test_that_recurrent_layers_take_their_state_as_torch_has_it(call):
    lstm = node("LSTM")
    params = {"input_size": 3, "hidden_size": 4, "batch_first": True}
    state = {"h_0": torch.ones(1, 2, 4), "c_0": torch.ones(1, 2, 4)}
    outputs = call(lstm, params, {"input": torch.ones(2, 5, 3)} | state)
    assert outputs["output"].shape == (2, 5, 4)
    assert outputs["h_n"].shape == outputs["c_n"].shape == (1, 2, 4)
    cell = call(node("LSTMCell"), {"input_size": 3, "hidden_size": 4}, {"input": torch.ones(2, 3)})
    assert cell["h_1"].shape == cell["c_1"].shape == (2, 4)


def test_that_masks_reach_attention(call):
    given = {name: torch.randn(2, 3, 8) for name in ("query", "key", "value")}
    given["attn_mask"] = torch.ones(3, 3).triu(1).bool()
    params = {"embed_dim": 8, "num_heads": 2, "batch_first": True}
    weights = call(node("MultiheadAttention"), params, given)["attn_weights"]
    assert torch.equal(weights.triu(1), torch.zeros(2, 3, 3))


def test_that_a_new_node_starts_with_what_can_be_inferred():
    assert node("Linear").initial_params() == {"in_features": "auto", "out_features": 64}
    assert node("LSTM").initial_params()["batch_first"] is True
    assert node("ReLU").initial_params() == {}
