"""First models for boxes: a small FCOS (Tian et al.: FCOS, 2019), from layers of the canvas, with
torchvision's way from what they say to boxes; the larger one, and those for masks, look twice.
"""

import math

from msgspec.structs import replace

from engine.graph.draft import Draft
from engine.graph.model import Block, Graph
from engine.graph.shipped_code import shipped_files
from engine.spec.box_backbone import box_backbone
from engine.spec.data import FieldInfo
from engine.spec.output import FOUND, OUTPUT
from engine.spec.proposal import ModelSize
from engine.spec.region_model import region_model

_CODE = "anchors.py"
_GROUPS = 8
_RARE = 0.01  # how likely a class is at a point before anything is learnt
_BOX, _CENTRE = 4, 1  # numbers of a point beside those of its classes
_SMALL, _EDGE = 0.01, 2.0  # of the distances at first: two steps of a level to each side
_PITCH, _HIGHER = 90.0, 8.0  # from output to output on the canvas, and how far they go up


def box_model(
    field: FieldInfo, classes: int, size: ModelSize, masks: FieldInfo | None = None
) -> Graph:
    """Return a model that finds boxes in pictures (channels, height, width): features at two sizes,
    the coarse ones added to the finer, and at each point of each the classes, the distances to the
    edges of its box, and how near it is to the centre. The larger one is a Faster R-CNN; for a
    field of ``masks`` both are a Mask R-CNN, which alone finds these.
    """
    backbone = box_backbone(field, size)
    if size == "large" or masks is not None:
        return region_model(field, classes, backbone, masks)
    levels = backbone.levels
    blocks = dict(backbone.blocks)
    blocks["Head"] = _head(backbone.width, classes)
    blocks["Heads"] = _heads(blocks, levels, classes)
    draft = Draft(blocks, shipped_files(_CODE))
    draft.put("image", "Input", field=field.name, shape=field.shape)
    draft.add(backbone.scaled())
    draft.put("pyramid", "block.Pyramid", after="scaled.output.0")
    features = {f"features{level}": f"pyramid.features{level}" for level in _numbers(levels)}
    draft.put("heads", "block.Heads", after=features)
    ports = {
        "images": "image",
        "scaled": "scaled.output.0",
        "sizes": "scaled.output.1",
        "bbox_regression": "heads.distances",
        "bbox_ctrness": "heads.centre",
        "cls_logits": "heads.classes",
        **{f"features.{at}": name for at, name in enumerate(features.values())},
    }
    draft.put(
        "found",
        "code.anchors.FCOSBoxes",
        after=ports,
        anchor_sizes=backbone.cells,
        score_thresh=0.05,
        nms_thresh=0.5,
        detections=50,
        candidates=200,
    )
    for at, name in enumerate((*FOUND, "answers")):
        draft.put(name, "Output", after=f"found.output.{at}")
    return _closer(draft.model())


def _closer(graph: Graph) -> Graph:
    """Return the graph with its outputs nearer to each other, so that it can be shown larger."""
    nodes = dict(graph.nodes)
    outputs = [key for key, node in nodes.items() if node.type == OUTPUT]
    x, top = nodes[outputs[0]].position
    for at, key in enumerate(outputs):
        nodes[key] = replace(nodes[key], position=(x, top - _HIGHER + _PITCH * at))
    return replace(graph, nodes=nodes)


def _numbers(levels: int) -> range:
    return range(1, levels + 1)


def _heads(blocks: dict[str, Block], levels: int, classes: int) -> Block:
    """Return the head at each level, with the same weights, and what it says at all points of all
    levels, by kind.
    """
    draft = Draft(blocks)
    for level in _numbers(levels):
        draft.put(f"features{level}", "BlockInput")
    for level in _numbers(levels):
        shares = "" if level == 1 else "head1"
        draft.put(f"head{level}", "block.Head", after=f"features{level}", shares=shares)
    if levels > 1:
        ports = {f"tensors.{level - 1}": f"head{level}" for level in _numbers(levels)}
        draft.put("points", "cat", after=ports, dim=1)
    draft.put("kinds", "split", sizes=(_BOX, _CENTRE, classes), dim=2)
    for at, name in enumerate(("distances", "centre", "classes")):
        draft.put(name, "BlockOutput", after=f"kinds.output.{at}")
    return draft.block("What is at each point of the features of every size.")


def _head(width: int, classes: int) -> Block:
    """Return what says for each point the distances to the edges of its box (4), how near to the
    centre it is (1), and the classes: (batch, points, numbers).
    """
    draft = Draft().put("features", "BlockInput")
    draft.put("conv1", "Conv2d", out_channels=width, kernel_size=3, padding=1)
    draft.put("norm1", "GroupNorm", num_groups=_GROUPS).put("relu1", "ReLU")
    last = "relu1"
    draft.put("box", "Conv2d", after=last, out_channels=_BOX, kernel_size=3, padding=1)
    # All alive behind the ReLU: an edge that is at 0 everywhere would stay there.
    draft.begin("weight", "normal_", std=_SMALL).begin("bias", "constant_", val=_EDGE)
    draft.put("distances", "ReLU")
    draft.put("centre", "Conv2d", after=last, out_channels=_CENTRE, kernel_size=3, padding=1)
    draft.put("classes", "Conv2d", after=last, out_channels=classes, kernel_size=3, padding=1)
    draft.begin("bias", "constant_", val=-math.log((1 - _RARE) / _RARE))
    ports = {"tensors.0": "distances", "tensors.1": "centre", "tensors.2": "classes"}
    draft.put("joined", "cat", after=ports, dim=1)
    draft.put("points", "Flatten", start_dim=2)
    draft.put("points_first", "transpose", dim0=1, dim1=2)
    return draft.put("output", "BlockOutput").block("What is at each point of the features.")
