"""Detectors of torchvision as models that a graph can hold: tensors of one size between the parts.

What they do with lists of boxes is code that ships with the program (``resources/code``); all that
has weights is followed like the layers of any other model.
"""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

import torch
from msgspec.structs import replace
from torch import Tensor, nn
from typing_extensions import override

from engine.catalog.spec import Value
from engine.graph.model import Graph, Node
from engine.graph.query import INPUT
from engine.importer.shipped import ShippedCall

_HOME = "torchvision.models.detection."
_DECIDING = (
    "code.regions.RegionBoxes",
    "code.anchors.RetinaNetBoxes",
    "code.anchors.FCOSBoxes",
    "code.anchors.SSDBoxes",
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


def with_truth(examples: Sequence[Tensor], module: nn.Module | None) -> list[Tensor]:
    """Return the inputs of a model with those behind the pictures of a detector that learns from
    the true boxes inside: no boxes.
    """
    if not isinstance(module, _RegionDetector):
        return list(examples)
    pictures = examples[0]
    boxes = pictures.new_zeros((len(pictures), 0, 4))
    inputs = [pictures, boxes, torch.zeros((len(pictures), 0), dtype=torch.int64)]
    if isinstance(module, _MaskDetector):
        inputs.append(torch.zeros((len(pictures), 0, *pictures.shape[-2:]), dtype=torch.bool))
    return inputs


def taking_truth(graph: Graph, module: nn.Module | None) -> Graph:
    """Return the graph of a model; of a detector that learns from the true boxes inside, with its
    last inputs taking any number of them from the data.
    """
    if not isinstance(module, _RegionDetector):
        return graph
    nodes = dict(graph.nodes)
    keys = [key for key, node in nodes.items() if node.type == INPUT]
    shapes: dict[str, tuple[int, ...]] = {"boxes": (-1, 4), "labels": (-1,)}
    if isinstance(module, _MaskDetector):
        sides = cast("tuple[int, ...]", nodes[keys[0]].params["shape"])[-2:]
        shapes["masks"] = (-1, *sides)
    for key, (field, shape) in zip(keys[1:], shapes.items(), strict=True):
        params = {**nodes[key].params, "field": field, "shape": shape}
        nodes[key] = replace(nodes[key], name=f"true_{field}", params=params)
    return replace(graph, nodes=nodes)


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
        name = _kind(original)
        settings: dict[str, Value] = {
            **(_default_boxes if name == "SSD" else _anchors)(original.anchor_generator),
            "score_thresh": original.score_thresh,
            "nms_thresh": original.nms_thresh,
            "detections": original.detections_per_img,
            "candidates": original.topk_candidates,
        }
        if name == "FCOS":
            del settings["aspect_ratios"]
        self.detections = ShippedCall("anchors.py", f"{name}Boxes", settings)

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
        candidates, proposals = original._pre_nms_top_n, original._post_nms_top_n  # noqa: SLF001
        settings: dict[str, Value] = {
            **_anchors(original.anchor_generator),
            "candidates": candidates["testing"],
            "proposals": proposals["testing"],
            "nms_thresh": original.nms_thresh,
            "score_thresh": original.score_thresh,
            "training_candidates": candidates["training"],
            "training_proposals": proposals["training"],
            **_sampling(original),
        }
        self.proposals = ShippedCall("regions.py", "RegionProposals", settings)

    @override
    def forward(
        self, pictures: Mapping[str, Tensor], truth: Mapping[str, Tensor], features: list[Tensor]
    ) -> tuple[Tensor, dict[str, Tensor]]:
        objectness, deltas = self.head(features)
        proposals, objectness_loss, box_loss = self.proposals(
            **pictures, **truth, objectness=objectness, deltas=deltas
        )
        return proposals, {"loss_objectness": objectness_loss, "loss_rpn_box_reg": box_loss}


class _RegionHeads(nn.Module):
    """The part of a detector that says what is there."""

    def __init__(self, original: Any) -> None:
        super().__init__()
        self.names = original.box_roi_pool.featmap_names
        self.box_roi_pool = _pool(original.box_roi_pool)
        self.box_head = original.box_head
        self.box_predictor = original.box_predictor
        weights: dict[str, Value] = {"box_weights": tuple(original.box_coder.weights)}
        self.samples = ShippedCall(
            "regions.py", "RegionSamples", {**weights, **_sampling(original)}
        )
        settings: dict[str, Value] = {
            **weights,
            "score_thresh": original.score_thresh,
            "nms_thresh": original.nms_thresh,
            "detections": original.detections_per_img,
        }
        self.detections = ShippedCall("regions.py", "RegionBoxes", settings)
        self.boxes = ShippedCall("regions.py", "boxes_of_pictures", {})
        self.kind = "mask" if original.has_mask() else "keypoint" if original.has_keypoint() else ""
        if self.kind:
            self.further = ShippedCall("regions.py", f"{self.kind}s_of_pictures", {})
            setattr(
                self, f"{self.kind}_roi_pool", _pool(getattr(original, f"{self.kind}_roi_pool"))
            )
            if self.kind == "mask":
                self.regions = ShippedCall("region_masks.py", "mask_regions", {})
                self.further = ShippedCall("region_masks.py", "RegionMasks", {})
            for name in (f"{self.kind}_head", f"{self.kind}_predictor"):
                setattr(self, name, getattr(original, name))

    @override
    def forward(
        self,
        pictures: Mapping[str, Tensor],
        truth: Mapping[str, Tensor],
        features: dict[str, Tensor],
        proposals: Tensor,
        true_masks: Tensor | None = None,
    ) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
        images, sizes = pictures["images"], pictures["sizes"]
        levels = [value for name, value in features.items() if name in self.names]
        rows, held_classes, held_deltas, held = self.samples(
            images=images, sizes=sizes, proposals=proposals, **truth
        )
        cut = self.box_roi_pool(sizes=sizes, boxes=rows, features=levels)
        logits, deltas = self.box_predictor(self.box_head(cut))
        boxes, labels, scores, class_loss, box_loss = self.detections(
            sizes=sizes,
            proposals=rows,
            logits=logits,
            deltas=deltas,
            held_classes=held_classes,
            held_deltas=held_deltas,
        )
        whole = self.boxes(images=images, sizes=sizes, boxes=boxes)
        losses = {"loss_classifier": class_loss, "loss_box_reg": box_loss}
        result = {"boxes": whole, "labels": labels, "scores": scores}
        if not self.kind:
            return result, losses
        pool, head, predictor = map(self.get_submodule, self._further_names())
        regions = boxes
        if self.kind == "mask":
            regions = self.regions(boxes=boxes, proposals=rows, held_classes=held_classes)
        further = predictor(head(pool(sizes=sizes, boxes=regions, features=levels)))
        if self.kind == "mask":
            masks, mask_loss = self.further(
                images=images,
                sizes=sizes,
                boxes=boxes,
                labels=labels,
                proposals=rows,
                held_classes=held_classes,
                held=held,
                logits=further,
                **truth,
                true_masks=true_masks,
            )
            return {**result, "masks": masks}, {**losses, "loss_mask": mask_loss}
        points, certain = self.further(images=images, sizes=sizes, boxes=boxes, logits=further)
        return {**result, "keypoints": points, "keypoints_scores": certain}, losses

    def _further_names(self) -> list[str]:
        return [f"{self.kind}_{name}" for name in ("roi_pool", "head", "predictor")]


class _RegionDetector(_Detector):
    """The R-CNN family: boxes are proposed, then looked at, in training beside the true ones."""

    def __init__(self, original: Any) -> None:
        super().__init__(original)
        self.rpn = _Proposals(original.rpn)
        self.roi_heads = _RegionHeads(original.roi_heads)

    @override
    def forward(self, images: Tensor, true_boxes: Tensor, true_labels: Tensor) -> dict[str, Tensor]:
        return self._found(images, true_boxes, true_labels, None)

    def _found(
        self, images: Tensor, true_boxes: Tensor, true_labels: Tensor, true_masks: Tensor | None
    ) -> dict[str, Tensor]:
        scaled, sizes = self.transform(images=images)
        results = self.backbone(scaled)
        features = {"0": results} if isinstance(results, Tensor) else dict(results)
        pictures = {"images": images, "scaled": scaled, "sizes": sizes}
        truth = {"true_boxes": true_boxes, "true_labels": true_labels}
        proposals, first_losses = self.rpn(pictures, truth, list(features.values()))
        found, losses = self.roi_heads(pictures, truth, features, proposals, true_masks)
        return {**found, **losses, **first_losses}


class _MaskDetector(_RegionDetector):
    """Mask R-CNN: beside the true boxes stand their masks."""

    @override
    def forward(  # pyright: ignore[reportIncompatibleMethodOverride] - followed, not called
        self, images: Tensor, true_boxes: Tensor, true_labels: Tensor, true_masks: Tensor
    ) -> dict[str, Tensor]:
        return self._found(images, true_boxes, true_labels, true_masks)


def _sampling(original: Any) -> dict[str, Value]:
    """Return how the samples of a half are chosen in training."""
    matcher, sampler = original.proposal_matcher, original.fg_bg_sampler
    return {
        "fg_iou_thresh": matcher.high_threshold,
        "bg_iou_thresh": matcher.low_threshold,
        "samples": sampler.batch_size_per_image,
        "positive_fraction": sampler.positive_fraction,
    }


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
    "MaskRCNN": _MaskDetector,
    "GeneralizedRCNN": _RegionDetector,
    "RetinaNet": _AnchorDetector,
    "FCOS": _AnchorDetector,
    "SSD": _AnchorDetector,
}
