"""What is known without asking PyTorch is what PyTorch says."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from engine.shape.known_shape import hints, joined, normed, stepped
from engine.shape.propagate import Propagator
from tests.engine.graph.builder import model

_SIZES = st.lists(st.integers(0, 4), min_size=1, max_size=4)


def blank(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.empty(shape, dtype=dtype, device="meta")


def facts(tensor: torch.Tensor | None) -> object:
    return tensor if tensor is None else (tensor.shape, tensor.dtype, tensor.stride())


@settings(deadline=None)
@given(_SIZES, st.data())
def test_that_a_concatenation_has_the_shape_that_pytorch_gives(sizes, data):
    dim = data.draw(st.integers(-len(sizes), len(sizes) - 1))
    lengths = data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=5))
    tensors = []
    for length in lengths:
        shape = [*sizes]
        shape[dim] = length
        tensors.append(blank(*shape))
    assert facts(joined(torch.cat, (tensors, dim))) == facts(torch.cat(tensors, dim))
    assert facts(joined(torch.concat, (tensors,), {"dim": dim})) == facts(torch.cat(tensors, dim))


@pytest.mark.parametrize(
    "args",
    [
        ([blank(2, 3), blank(2, 4)], 0),
        ([blank(2, 3), blank(2, 3, dtype=torch.int64)], 0),
        ([blank(2, 3), blank(2, 3)], 2),
        ([blank(2, 3), blank(3)], 0),
        ([blank(2, 3), blank(3, 2).t()], 0),
        ([torch.zeros(2, 3)], 0),
        ([], 0),
    ],
)
def test_that_pytorch_is_asked_where_tensors_differ_or_something_is_wrong(args):
    assert joined(torch.cat, args) is None
    assert joined(torch.stack, ([blank(2, 3)], 0)) is None


@pytest.mark.parametrize(
    ("module", "shape"),
    [
        (nn.BatchNorm1d(3), (2, 3)),
        (nn.BatchNorm1d(3), (2, 3, 5)),
        (nn.BatchNorm2d(3, affine=False), (2, 3, 4, 4)),
        (nn.BatchNorm3d(3), (2, 3, 2, 2, 2)),
    ],
)
def test_that_a_batch_norm_has_the_shape_that_pytorch_gives(module, shape):
    module = module.to("meta").eval()
    x = blank(*shape)
    assert facts(normed(module, (x,))) == facts(module(x))


@pytest.mark.parametrize(
    ("module", "x"),
    [
        (nn.BatchNorm2d(3).eval(), blank(2, 4, 4, 4)),
        (nn.BatchNorm2d(3).eval(), blank(2, 3, 4)),
        (nn.BatchNorm2d(3).eval(), blank(2, 3, 4, 4, dtype=torch.float64)),
        (nn.BatchNorm2d(3), blank(2, 3, 4, 4)),
        (nn.BatchNorm2d(3, track_running_stats=False).eval(), blank(2, 3, 4, 4)),
        (nn.LayerNorm(4), blank(2, 3, 4)),
    ],
)
def test_that_pytorch_is_asked_where_a_norm_may_fail(module, x):
    assert normed(module.to("meta"), (x,)) is None


@pytest.mark.parametrize(
    ("layer", "names"),
    [
        (nn.Transformer(4, 2, 1, 1, 4, batch_first=True), ("src_mask", "tgt_mask")),
        (
            nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 4, batch_first=True), 1),
            ("mask",),
        ),
        (
            nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 4, batch_first=True), 1),
            ("tgt_mask",),
        ),
    ],
)
def test_that_a_mask_without_numbers_goes_through_transformers(layer, names):
    masks = dict.fromkeys(names, blank(3, 3))
    inputs = [blank(2, 3, 4)] * (1 if "mask" in names else 2)
    found = layer.to("meta")(*inputs, **masks, **hints(layer))
    assert found.shape == (2, 3, 4)


@pytest.mark.parametrize("kind", [nn.RNN, nn.LSTM, nn.GRU])
@pytest.mark.parametrize(
    ("shape", "options"),
    [
        ((4, 9, 5), {"batch_first": True}),
        ((9, 4, 5), {"bidirectional": True, "num_layers": 2}),
        ((4, 9, 5), {"batch_first": True, "bidirectional": True, "dropout": 0.5, "num_layers": 3}),
        ((9, 5), {}),
        ((9, 5), {"batch_first": True}),
        ((0, 9, 5), {"batch_first": True}),
    ],
)
def test_that_a_recurrent_layer_has_the_shape_that_pytorch_gives_after_two_steps(
    kind, shape, options
):
    module, x = kind(5, 6, **options).to("meta"), blank(*shape)
    output, last = module(x)
    steps = []
    module.register_forward_pre_hook(lambda _, args: steps.append(args[0].shape))
    found, state = stepped(module, (x,), {})
    assert facts(found) == facts(output)
    states = zip(state, last, strict=True) if kind is nn.LSTM else ((state, last),)
    assert all(facts(one) == facts(other) for one, other in states)
    (seen,) = steps
    assert sorted(set(shape) - set(seen)) == [9]


def test_that_a_recurrent_layer_gets_the_state_that_it_begins_with():
    module = nn.LSTM(5, 6, proj_size=3, batch_first=True).to("meta")
    x, begin = blank(4, 9, 5), (blank(1, 4, 3), blank(1, 4, 6))
    assert facts(stepped(module, (x, begin), {})[0]) == facts(module(x, begin)[0])
    with pytest.raises(RuntimeError, match="hidden"):
        stepped(module, (x,), {"hx": (blank(1, 3, 3), blank(1, 4, 6))})


@pytest.mark.parametrize(
    ("module", "x"),
    [
        (nn.GRU(5, 6).to("meta"), blank(0, 4, 5)),
        (nn.GRU(5, 6).to("meta"), blank(2, 4, 5)),
        (nn.GRU(5, 6).to("meta"), blank(3, 2, 4, 5)),
        (nn.GRU(5, 6), torch.zeros(9, 4, 5)),
        (nn.GRUCell(5, 6).to("meta"), blank(9, 5)),
    ],
)
def test_that_pytorch_is_asked_where_a_sequence_is_short_or_has_numbers(module, x):
    assert stepped(module, (x,), {}) is None


def test_that_a_check_of_a_model_asks_a_recurrent_layer_for_two_steps(monkeypatch):
    forward, steps = nn.GRU.forward, []

    def counted(self, x, *more):
        steps.append(x.shape[1])
        return forward(self, x, *more)

    monkeypatch.setattr(nn.GRU, "forward", counted)
    graph = model((300, 4), ("GRU", {"hidden_size": 8, "batch_first": True}, "memory"))
    shape = Propagator().outcomes(graph)["memory"].outputs["output"].labels()
    assert shape == ("N", 300, 8)
    assert set(steps) == {2}
