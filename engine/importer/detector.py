"""Detectors of torchvision as models that a graph can hold: tensors of one size between the parts.

What they do with lists of boxes is code that ships with the program (``resources/code``); all that
has weights is followed like the layers of any other model.
"""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from msgspec.structs import replace
from torch import Tensor, nn
from typing_extensions import override

from engine.catalog.spec import Value
from engine.graph.model import Graph, Node
from engine.importer.shipped import ShippedCall

_HOME = "torchvision.models.detection."
_DECIDING = (
    "code.regions.region_boxes",
    "code.anchors.retinanet_boxes",
    "code.anchors.fcos_boxes",
    "code.anchors.ssd_boxes",
)
"""Types of nodes that drop what is unlikely."""
_KEYS = ("boxes", "labels", "scores", "masks", "keypoints", "keypoints_scores")


def detector(module: nn.Module) -> nn.Module | None:
    """Return a detector with one batch of pictures of one size as its input and with filled up
    tensors as its results, made of the parts of a detector of torchvision; None for any other
    module. It computes nothing: it is there to be followed, in evaluation.
    """
    name = _kind(module)
    if not name:
        return None
    made = type(type(module).__name__, (_KINDS[name],), {})  # blocks are called by its name
    return made(module)


def is_detector(module: nn.Module) -> bool:
    """Return whether a module is a detector of torchvision."""
    return bool(_kind(module))


def _kind(module: nn.Module) -> str:
    """Return the class of torchvision's detectors that a module is of."""
    names = (kind.__name__ for kind in type(module).__mro__ if kind.__module__.startswith(_HOME))
    return next((name for name in names if name in _KINDS), "")


def detected(detections: Sequence[Mapping[str, Tensor]], module: Any) -> list[Tensor]:
    """Return what a detector of torchvision finds as its graph does: filled up with zeros."""
    count: int = _deciding(module).detections_per_img
    result: list[Tensor] = []
    for key in (key for key in _KEYS if key in detections[0]):
        rows = torch.zeros(
            (len(detections), count, *detections[0][key].shape[1:]), dtype=detections[0][key].dtype
        )
        for row, part in zip(rows, detections, strict=True):
            row[: len(part[key])] = part[key]
        result.append(rows)
    return result


def without_thresholds(graph: Graph) -> Graph:
    """Return the graph of a detector that gives what it finds however unlikely it is."""
    blocks = {
        name: replace(block, nodes=_unlimited(block.nodes)) for name, block in graph.blocks.items()
    }
    return replace(graph, nodes=_unlimited(graph.nodes), blocks=blocks)


def _unlimited(nodes: Mapping[str, Node]) -> dict[str, Node]:
    return {
        key: replace(node, params={**node.params, "score_thresh": 0.0})
        if node.type in _DECIDING
        else node
        for key, node in nodes.items()
    }


@contextmanager
def keeping_everything(module: Any) -> Generator[None]:
    """Let a detector of torchvision give what it finds however unlikely it is; any other module
    stays as it is.
    """
    if not is_detector(module):
        yield
        return
    heads = _deciding(module)
    threshold = heads.score_thresh
    heads.score_thresh = 0.0
    try:
        yield
    finally:
        heads.score_thresh = threshold


def _deciding(module: Any) -> Any:
    """Return the part of a detector of torchvision that decides what is found."""
    return getattr(module, "roi_heads", module)


class _Detector(nn.Module):
    """A detector whose pictures are scaled; ``backbone`` is that of the original."""

    def __init__(self, original: Any) -> None:
        super().__init__()
        transform = original.transform
        settings: dict[str, Value] = {
            "min_size": transform.min_size[-1],
            "max_size": transform.max_size,
            "mean": tuple(transform.image_mean),
            "std": tuple(transform.image_std),
            "size_divisible": transform.size_divisible,
            "fixed_size": tuple(transform.fixed_size or ()),
        }
        self.transform = ShippedCall("pictures.py", "scaled_pictures", settings)
        self.backbone = original.backbone

    def _features(self, scaled: Tensor) -> list[Tensor]:
        features = self.backbone(scaled)
        return [features] if isinstance(features, Tensor) else list(features.values())


class _AnchorDetector(_Detector):
    """RetinaNet, FCOS and SSD: layers say for each anchor what is there."""

    def __init__(self, original: Any) -> None:
        super().__init__(original)
        self.head = original.head
        name = _kind(original).lower()
        settings: dict[str, Value] = {
            **(_default_boxes if name == "ssd" else _anchors)(original.anchor_generator),
            "score_thresh": original.score_thresh,
            "nms_thresh": original.nms_thresh,
            "detections": original.detections_per_img,
            "candidates": original.topk_candidates,
        }
        if name == "fcos":
            del settings["aspect_ratios"]
        self.detections = ShippedCall("anchors.py", f"{name}_boxes", settings)

    @override
    def forward(self, images: Tensor) -> dict[str, Tensor]:
        scaled, sizes = self.transform(images=images)
        features = self._features(scaled)
        results = self.head(features)
        boxes, labels, scores, answers = self.detections(
            images=images, scaled=scaled, sizes=sizes, features=features, **results
        )
        return {"boxes": boxes, "labels": labels, "scores": scores, "answers": answers}


class _Proposals(nn.Module):
    """The part of a detector that says where something may be."""

    def __init__(self, original: Any) -> None:
        super().__init__()
        self.head = original.head
        settings: dict[str, Value] = {
            **_anchors(original.anchor_generator),
            "candidates": original._pre_nms_top_n["testing"],  # noqa: SLF001 # no other way
            "proposals": original._post_nms_top_n["testing"],  # noqa: SLF001
            "nms_thresh": original.nms_thresh,
            "score_thresh": original.score_thresh,
        }
        self.proposals = ShippedCall("regions.py", "region_proposals", settings)

    @override
    def forward(self, scaled: Tensor, sizes: Tensor, features: list[Tensor]) -> Tensor:
        objectness, deltas = self.head(features)
        return self.proposals(scaled=scaled, sizes=sizes, objectness=objectness, deltas=deltas)


class _RegionHeads(nn.Module):
    """The part of a detector that says what is there."""

    def __init__(self, original: Any) -> None:
        super().__init__()
        self.names = original.box_roi_pool.featmap_names
        self.box_roi_pool = _pool(original.box_roi_pool)
        self.box_head = original.box_head
        self.box_predictor = original.box_predictor
        settings: dict[str, Value] = {
            "box_weights": tuple(original.box_coder.weights),
            "score_thresh": original.score_thresh,
            "nms_thresh": original.nms_thresh,
            "detections": original.detections_per_img,
        }
        self.detections = ShippedCall("regions.py", "region_boxes", settings)
        self.boxes = ShippedCall("regions.py", "boxes_of_pictures", {})
        self.kind = "mask" if original.has_mask() else "keypoint" if original.has_keypoint() else ""
        if self.kind:
            self.further = ShippedCall("regions.py", f"{self.kind}s_of_pictures", {})
            setattr(
                self, f"{self.kind}_roi_pool", _pool(getattr(original, f"{self.kind}_roi_pool"))
            )
            for name in (f"{self.kind}_head", f"{self.kind}_predictor"):
                setattr(self, name, getattr(original, name))

    @override
    def forward(
        self, images: Tensor, sizes: Tensor, features: dict[str, Tensor], proposals: Tensor
    ) -> dict[str, Tensor]:
        levels = [value for name, value in features.items() if name in self.names]
        cut = self.box_roi_pool(sizes=sizes, boxes=proposals, features=levels)
        logits, deltas = self.box_predictor(self.box_head(cut))
        boxes, labels, scores = self.detections(
            sizes=sizes, proposals=proposals, logits=logits, deltas=deltas
        )
        whole = self.boxes(images=images, sizes=sizes, boxes=boxes)
        result = {"boxes": whole, "labels": labels, "scores": scores}
        if not self.kind:
            return result
        pool, head, predictor = map(self.get_submodule, self._further_names())
        further = predictor(head(pool(sizes=sizes, boxes=boxes, features=levels)))
        if self.kind == "mask":
            masks = self.further(images=images, boxes=whole, labels=labels, logits=further)
            return {**result, "masks": masks}
        points, certain = self.further(images=images, sizes=sizes, boxes=boxes, logits=further)
        return {**result, "keypoints": points, "keypoints_scores": certain}

    def _further_names(self) -> list[str]:
        return [f"{self.kind}_{name}" for name in ("roi_pool", "head", "predictor")]


class _RegionDetector(_Detector):
    """The R-CNN family: boxes are proposed, then looked at."""

    def __init__(self, original: Any) -> None:
        super().__init__(original)
        self.rpn = _Proposals(original.rpn)
        self.roi_heads = _RegionHeads(original.roi_heads)

    @override
    def forward(self, images: Tensor) -> dict[str, Tensor]:
        scaled, sizes = self.transform(images=images)
        results = self.backbone(scaled)
        features = {"0": results} if isinstance(results, Tensor) else dict(results)
        proposals = self.rpn(scaled, sizes, list(features.values()))
        return self.roi_heads(images, sizes, features, proposals)


def _pool(original: Any) -> ShippedCall:
    settings: dict[str, Value] = {
        "output_size": original.output_size[0],
        "sampling_ratio": original.sampling_ratio,
    }
    return ShippedCall("regions.py", "region_features", settings)


def _anchors(original: Any) -> dict[str, Value]:
    """Return the settings of an ``AnchorGenerator``, whose levels are alike."""
    sizes = tuple(size for level in original.sizes for size in level)
    return {"anchor_sizes": sizes, "aspect_ratios": tuple(original.aspect_ratios[0])}


def _default_boxes(original: Any) -> dict[str, Value]:
    levels = [", ".join(map(str, level)) for level in original.aspect_ratios]
    return {
        "aspect_ratios": "; ".join(levels),
        "scales": tuple(original.scales),
        "steps": tuple(original.steps or ()),
    }


_KINDS: dict[str, type[_Detector]] = {
    "GeneralizedRCNN": _RegionDetector,
    "RetinaNet": _AnchorDetector,
    "FCOS": _AnchorDetector,
    "SSD": _AnchorDetector,
}
