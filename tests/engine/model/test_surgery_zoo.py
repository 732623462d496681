"""Surgery on models of torchvision: what was not touched keeps its names and its weights, and the
report on the weights says so.
"""

import warnings

import pytest
import torch
from torch import Tensor, nn

from engine.archive.weights import copy_fitting
from engine.diagnostics import Diagnostic
from engine.graph.edit.edits import AddNode, Batch, Connect, Disconnect, apply
from engine.graph.edit.head import heads
from engine.graph.edit.surgery import CutAfter, ReplaceHeads
from engine.graph.edit.widening import SetWidth, width_of
from engine.graph.error import GraphError
from engine.graph.expand import expand
from engine.graph.model import Edge, Graph, Node
from engine.importer.module import from_module
from engine.model.module import to_module
from engine.runtime.importing.torchvision_model import untrained, usual_inputs

PLACES = {
    "convnext_tiny": "features",
    "densenet121": "features",
    "efficientnet_b0": "features",
    "googlenet": "inception4a",
    "maxvit_t": "stem",
    "mnasnet0_5": "layers",
    "mobilenet_v3_small": "features",
    "regnet_y_400mf": "trunk_output",
    "resnet18": "layer2",
    "squeezenet1_1": "features",
    "swin_t": "features",
    "vgg11_bn": "features",
}
"""Models, and the part in the middle that is operated on."""


@pytest.mark.nightly
@pytest.mark.timeout(900)
@pytest.mark.row("S121", "S122", "S123")
@pytest.mark.parametrize("name", PLACES)
def test_that_what_is_not_touched_keeps_its_weights(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = untrained(name, {})
    inputs = [torch.randn(2, *size.shape) for size in usual_inputs(name)]
    graph, state = from_module(module, inputs), module.state_dict()
    (head,) = (found.place.replace("/", ".") for found in heads(graph).values())
    names = {f"{head}.{part}" for part in ("weight", "bias")} & set(state)

    replaced = _operated(apply(ReplaceHeads(size=5), graph), state)
    assert replaced.changed == names
    assert replaced.result(inputs).shape == (2, 5)

    cut = _operated(apply(CutAfter(id=PLACES[name]), graph), state)
    assert cut.changed == set()
    assert cut.missing
    assert cut.result(inputs).shape[0] == 2

    longer = _operated(_with_layer_after(graph, PLACES[name]), state)
    assert longer.changed == {"inserted.weight"}
    assert not longer.missing
    assert longer.result(inputs).shape == (2, 1000)

    wider = _operated(_widened(graph), state)
    assert wider.changed
    assert not wider.missing
    assert all(wider.model.state_dict()[key].numel() > state[key].numel() for key in wider.changed)
    assert wider.result(inputs).shape == (2, 1000)


class _Operated:
    """A model after surgery with the weights of the original. ``changed`` are new names and those
    of another shape, ``missing`` are names of the original that are gone.
    """

    def __init__(self, model: nn.Module, state: dict[str, Tensor]) -> None:
        self.model = model.eval()
        own = model.state_dict()
        kept = {key for key in own if key in state and own[key].shape == state[key].shape}
        self.changed = own.keys() - kept
        self.missing = state.keys() - own.keys()
        report = copy_fitting(model, state, "original")
        assert report is not None
        self._require_true(report, kept, state)
        assert all(torch.equal(model.state_dict()[key], state[key]) for key in kept)

    def _require_true(self, report: Diagnostic, kept: set[str], state: dict[str, Tensor]) -> None:
        assert report.params["kept"] == len(kept)
        for told, names in (("new", self.changed), ("dropped", state.keys() - kept)):
            text = str(report.params[told])
            shown = {word for word in text.replace(",", " ").split() if word[0] not in "-(+"}
            assert shown <= names
            assert bool(shown) == bool(names)

    def result(self, inputs: list[Tensor]) -> Tensor:
        with torch.no_grad():
            return self.model(*inputs)


def _operated(graph: Graph, state: dict[str, Tensor]) -> _Operated:
    return _Operated(to_module(graph), state)


def _with_layer_after(graph: Graph, place: str) -> Graph:
    """Put a layer with a weight into the wire behind a part."""
    (wire,) = [edge for edge in graph.edges if edge.source == place]
    node = Node(id="inserted", type="PReLU", name="inserted")
    edges = (
        Edge(source=place, source_port=wire.source_port, target="inserted", target_port="input"),
        Edge(
            source="inserted",
            source_port="output",
            target=wire.target,
            target_port=wire.target_port,
        ),
    )
    steps = (Disconnect(edges=(wire,)), AddNode(node=node), *(Connect(edge=e) for e in edges))
    return apply(Batch(edits=steps), graph)


def _widened(graph: Graph) -> Graph:
    """Make the first layer twice as wide that can be."""
    for place, node in expand(graph).graph.nodes.items():
        if node.type not in ("Conv2d", "Linear") or place in heads(graph):
            continue
        try:
            return apply(SetWidth(place=place, size=2 * width_of(graph, place)), graph)
        except GraphError:
            continue
    pytest.fail("no layer can be made wider")
