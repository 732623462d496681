"""Residual network for pictures: torchvision's ResNet-18, imported, with stem and head that fit.

K. He, X. Zhang, S. Ren, J. Sun: Deep residual learning for image recognition, 2016. Its stem makes
a picture four times smaller before the first block: a convolution of 7 x 7 and a max pooling, both
with stride 2. Of small pictures hardly anything would be left; for CIFAR the authors begin with a
convolution of 3 x 3 at full size and without pooling (section 4.2), and so does this.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from msgspec.structs import replace

from engine.decoding import decode_json
from engine.files import read_json
from engine.graph import codec
from engine.graph.draft import laid_out
from engine.graph.model import Edge, Graph, Initial, Node
from engine.spec.data import FieldInfo

LEAST_SIDE = 64
"""Pixels of the shorter side from which the stem of ImageNet is taken."""

_FILE = Path(__file__).parents[2] / "resources" / "first_models" / "resnet18.json"
_INPUT, _STEM, _POOLING, _HEAD, _OUTPUT = "x", "conv1", "maxpool", "fc", "output"
_LAST = "layer4"
_BEGIN = Initial(type="kaiming_normal_", params={"mode": "fan_out", "nonlinearity": "relu"})


def has_small_stem(field: FieldInfo) -> bool:
    """Return whether pictures are so small that they are not made smaller at once."""
    return 0 <= min(field.shape[1:]) < LEAST_SIDE


def is_residual_model(graph: Graph) -> bool:
    """Return whether a model is one of these, by its last block."""
    return _LAST in graph.nodes and graph.nodes[_LAST].type == f"block.{_LAST.capitalize()}"


def residual_model(field: FieldInfo, outputs: int, shape: tuple[int, ...] = ()) -> Graph:
    """Return ResNet-18 for pictures of shape (channels, height, width), with so many outputs, in
    rows of a ``shape`` where the target has one. Convolutions begin as torchvision has it.
    """
    graph = _imported()
    nodes, edges = dict(graph.nodes), graph.edges
    image = Node(
        id=field.kind,
        type="Input",
        name=field.kind,
        params={"field": field.name, "shape": field.shape},
    )
    nodes = {image.id: image, **{key: node for key, node in nodes.items() if key != _INPUT}}
    edges = tuple(replace(e, source=image.id) if e.source == _INPUT else e for e in edges)
    nodes[_HEAD] = _with(nodes[_HEAD], out_features=outputs)
    if has_small_stem(field):
        nodes[_STEM] = _with(nodes[_STEM], kernel_size=3, stride=1, padding=1)
        before = next(edge.source for edge in edges if edge.target == _POOLING)
        nodes.pop(_POOLING)
        edges = tuple(
            replace(e, source=before) if e.source == _POOLING else e
            for e in edges
            if e.target != _POOLING
        )
    graph = replace(graph, nodes=nodes, edges=edges)
    return laid_out(_with_rows(graph, shape) if len(shape) > 1 else graph)


def _with(node: Node, **params: int) -> Node:
    return replace(node, params={**node.params, **params})


def _with_rows(graph: Graph, shape: tuple[int, ...]) -> Graph:
    rows = Node(
        id="rows", type="Unflatten", name="rows", params={"dim": 1, "unflattened_size": shape}
    )
    (last,) = [edge for edge in graph.edges if edge.target == _OUTPUT]
    others = tuple(edge for edge in graph.edges if edge.target != _OUTPUT)
    inner = Edge(
        source=last.source, source_port=last.source_port, target=rows.id, target_port="input"
    )
    outer = replace(last, source=rows.id, source_port="output")
    return replace(graph, nodes={**graph.nodes, rows.id: rows}, edges=(*others, inner, outer))


@cache
def _imported() -> Graph:
    """Return the model as it was imported, with convolutions that begin as torchvision has it."""
    graph = codec.from_document(decode_json(read_json(_FILE), object))
    blocks = {
        name: replace(block, nodes=_begun(block.nodes)) for name, block in graph.blocks.items()
    }
    return replace(graph, nodes=_begun(graph.nodes), blocks=blocks)


def _begun(nodes: Mapping[str, Node]) -> dict[str, Node]:
    return {
        key: replace(node, init={"weight": _BEGIN}) if node.type == "Conv2d" else node
        for key, node in nodes.items()
    }
