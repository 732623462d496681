"""The text and the weights of a model, without its weights."""

import pytest
import torch
from torch import nn

from engine.diagnostics import DiagnosticError
from engine.graph.edit.edits import apply
from engine.graph.edit.grouping import group
from engine.graph.model import Graph, Initial
from engine.graph.node_state.initialization import SetInitial
from engine.model.module import to_module
from engine.project import Project
from engine.query.listing.answer import _initial, list_model
from engine.query.listing.request import ListModel
from tests.engine.graph.builder import add, model, wire


@pytest.mark.row("S078")
@pytest.mark.row("S081")
def test_that_the_listing_is_what_the_module_says(tmp_path):
    graph = Project.create(tmp_path / "project", "digits-cnn").graph
    listing, module = list_model(ListModel(graph=graph)), to_module(graph)
    assert listing.text == str(module)
    state = module.state_dict()
    assert {entry.name for entry in listing.weights} == set(state)
    for entry in listing.weights:
        assert entry.shape == tuple(state[entry.name].shape)
        assert entry.numel == state[entry.name].numel()
        assert f"torch.{entry.dtype}" == str(state[entry.name].dtype)
    names = {name for name, _ in module.named_parameters()}
    assert {entry.name for entry in listing.weights if not entry.is_buffer} == names


@pytest.mark.row("S082")
def test_that_the_dictionaries_of_modules_are_those_of_torch():
    layers = ("Linear", {"out_features": 3}, "fc"), ("BatchNorm1d", {}, "norm")
    graph, _ = add(model((4,), *layers), "Constant", "table", shape=(2,))
    graph, _ = add(graph, "Output", "second")
    graph = wire(graph, "table", "second")
    found = {entry.name: entry for entry in list_model(ListModel(graph=graph)).modules}
    module = to_module(graph)
    assert set(found) == {name for name, _ in module.named_modules()}
    for name, part in module.named_modules():
        assert list(found[name].parameters) == list(part._parameters)
        assert list(found[name].buffers) == list(part._buffers)
        assert list(found[name].modules) == list(part._modules)
    assert found[""].not_saved == ("table",)
    assert found["fc"].type == "Linear"


@pytest.mark.row("S083")
def test_that_the_listing_says_how_weights_begin_where_the_user_chose():
    graph = model((4,), ("Linear", {"out_features": 3}, "fc"), ("LSTM", {"hidden_size": 2}, "rnn"))
    for node, weight, kind in (("fc", "bias", "ones_"), ("rnn", "weight_hh", "orthogonal_")):
        edit = SetInitial(ids=(node,), weight=weight, initial=Initial(type=kind))
        graph = apply(edit, graph)
    found = {entry.name: entry.chosen for entry in list_model(ListModel(graph=graph)).weights}
    assert found["fc.bias"] == "ones_()"
    assert found["rnn.weight_hh_l0"] == "orthogonal_()"
    assert found["fc.weight"] == found["rnn.weight_ih_l0"] == ""


@pytest.mark.row("S075", "S076", "S078")
def test_that_the_listing_says_what_fills_the_tensors_of_a_model():
    graph = model((4,), ("mul", {}, "scaled"), ("add", {}, "shifted"))
    graph, _ = add(graph, "Parameter", "scale", shape=(4,), fill="normal", std=0.02)
    graph, _ = add(graph, "Buffer", "shift", shape=(4,))
    graph = wire(wire(graph, "scale", "scaled.other"), "shift", "shifted.other")
    grouped = group(graph, ("scaled", "shifted", "scale", "shift"), "Scale")
    for found, before in ((graph, ""), (grouped.graph, f"{grouped.node}.")):
        chosen = {entry.name: entry.chosen for entry in list_model(ListModel(graph=found)).weights}
        normal = "normal(std=0.02)"
        assert chosen == {f"{before}scale": normal, f"{before}shift": "zeros"}


def test_that_a_model_with_problems_has_no_listing():
    broken = Graph(nodes={}, edges=())
    with pytest.raises(DiagnosticError):
        list_model(ListModel(graph=broken))


@pytest.mark.parametrize(
    "module",
    [
        nn.Linear(300, 50),
        nn.Conv2d(8, 64, 3),
        nn.ConvTranspose2d(32, 16, 3),
        nn.Bilinear(20, 30, 40),
        nn.LSTM(20, 90),
        nn.GRUCell(20, 50),
        nn.BatchNorm2d(50),
        nn.LayerNorm(50),
        nn.PReLU(20),
        nn.Embedding(300, 50),
        nn.MultiheadAttention(64, 2, add_bias_kv=True),
        nn.MultiheadAttention(64, 2).out_proj,
    ],
    ids=lambda module: type(module).__name__,
)
def test_that_weights_begin_as_it_is_told(module):
    torch.manual_seed(0)
    for name, tensor in module.named_parameters(recurse=False):
        initial, spread = _initial(module, name, tensor)
        largest = float(tensor.detach().abs().max())
        if initial in ("uniform", "xavier"):
            assert 0.8 * spread < largest <= spread or tensor.numel() < 100
            assert largest <= spread
        elif initial == "normal":
            assert 0.7 * spread < float(tensor.detach().std()) < 1.3 * spread
        else:
            value = {"ones": 1.0, "zeros": 0.0, "constant": spread}[initial]
            assert torch.equal(tensor.detach(), torch.full_like(tensor, value).detach())
