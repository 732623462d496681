"""What the detectors of torchvision that look once (RetinaNet, FCOS, SSD) find by their anchors.

What is found is filled up to the same number of rows for each picture; rows with score
0 are empty.
"""

from pictures import _padded, _pairs, _undetected
from torch import Tensor, nn
from torchvision.models.detection import FCOS, RetinaNet
from torchvision.models.detection.anchor_utils import AnchorGenerator, DefaultBoxGenerator
from torchvision.models.detection.image_list import ImageList
from torchvision.models.detection.ssd import SSD
from torchvision.models.detection.transform import GeneralizedRCNNTransform


class _Computed(nn.Module):
    """Stands for layers of a detector whose results are there already."""

    out_channels = 0

    def __init__(self, results: dict[str, Tensor]) -> None:
        super().__init__()
        self.results = results

    def forward(self, x: object) -> dict[str, Tensor]:
        return self.results


class _ScaledAlready(GeneralizedRCNNTransform):
    """Stands for the scaling of pictures that are scaled; boxes are scaled back by it."""

    def __init__(self, scaled: ImageList) -> None:
        super().__init__(1, 1, [0.0], [1.0])
        self.scaled = scaled

    def forward(self, images: Tensor, targets: None = None) -> tuple[ImageList, None]:
        return self.scaled, targets


def retinanet_boxes(
    images: Tensor,
    scaled: Tensor,
    sizes: Tensor,
    cls_logits: Tensor,
    bbox_regression: Tensor,
    features: list[Tensor],
    *,
    anchor_sizes: tuple[int, ...] = (),
    aspect_ratios: tuple[float, ...] = (0.5, 1.0, 2.0),
    score_thresh: float = 0.05,
    nms_thresh: float = 0.5,
    detections: int = 300,
    candidates: int = 1000,
) -> tuple[Tensor, Tensor, Tensor]:
    """Gives the boxes that RetinaNet finds, in pixels of the pictures, their labels and scores.

    Args:
        images: the pictures.
        scaled: the scaled pictures.
        sizes: height and width of each of them.
        cls_logits: how likely each class is at each anchor.
        bbox_regression: how each anchor is moved and stretched.
        features: the levels, for their sizes.
        anchor_sizes: sides of the anchors in pixels, the same number for each level.
        aspect_ratios: height by width of the anchors of each size.
        score_thresh: how likely a class has to be.
        nms_thresh: overlap from which the less likely one of two boxes of a class goes.
        detections: boxes of each picture that are kept at most.
        candidates: boxes of each level that are looked at.
    """
    if images.is_meta:
        return _undetected(images, len(images), detections)
    detector = RetinaNet(
        _features(features),
        num_classes=0,
        anchor_generator=_anchors(anchor_sizes, aspect_ratios, len(features)),
        head=_Computed({"cls_logits": cls_logits, "bbox_regression": bbox_regression}),
        score_thresh=score_thresh,
        nms_thresh=nms_thresh,
        detections_per_img=detections,
        topk_candidates=candidates,
    )
    return _found(detector, images, ImageList(scaled, _pairs(sizes)))


def fcos_boxes(
    images: Tensor,
    scaled: Tensor,
    sizes: Tensor,
    cls_logits: Tensor,
    bbox_regression: Tensor,
    bbox_ctrness: Tensor,
    features: list[Tensor],
    *,
    anchor_sizes: tuple[int, ...] = (8, 16, 32, 64, 128),
    score_thresh: float = 0.2,
    nms_thresh: float = 0.6,
    detections: int = 100,
    candidates: int = 1000,
) -> tuple[Tensor, Tensor, Tensor]:
    """Gives the boxes that FCOS finds, in pixels of the pictures, their labels and scores.

    Args:
        images: the pictures.
        scaled: the scaled pictures.
        sizes: height and width of each of them.
        cls_logits: how likely each class is at each point.
        bbox_regression: how far the edges are from each point.
        bbox_ctrness: how near to the centre of its object each point is.
        features: the levels, for their sizes.
        anchor_sizes: distance of the points of each level, in pixels.
        score_thresh: how likely a class has to be.
        nms_thresh: overlap from which the less likely one of two boxes of a class goes.
        detections: boxes of each picture that are kept at most.
        candidates: boxes of each level that are looked at.
    """
    if images.is_meta:
        return _undetected(images, len(images), detections)
    results = {
        "cls_logits": cls_logits,
        "bbox_regression": bbox_regression,
        "bbox_ctrness": bbox_ctrness,
    }
    detector = FCOS(
        _features(features),
        num_classes=0,
        anchor_generator=_anchors(anchor_sizes, (1.0,), len(features)),
        head=_Computed(results),
        score_thresh=score_thresh,
        nms_thresh=nms_thresh,
        detections_per_img=detections,
        topk_candidates=candidates,
    )
    return _found(detector, images, ImageList(scaled, _pairs(sizes)))


def ssd_boxes(
    images: Tensor,
    scaled: Tensor,
    sizes: Tensor,
    cls_logits: Tensor,
    bbox_regression: Tensor,
    features: list[Tensor],
    *,
    aspect_ratios: str = "2; 2, 3; 2, 3; 2, 3; 2; 2",
    scales: tuple[float, ...] = (0.07, 0.15, 0.33, 0.51, 0.69, 0.87, 1.05),
    steps: tuple[int, ...] = (),
    score_thresh: float = 0.01,
    nms_thresh: float = 0.45,
    detections: int = 200,
    candidates: int = 400,
) -> tuple[Tensor, Tensor, Tensor]:
    """Gives the boxes that SSD finds, in pixels of the pictures, their labels and scores.

    Args:
        images: the pictures.
        scaled: the scaled pictures.
        sizes: height and width of each of them.
        cls_logits: how likely each class is at each box of the grid.
        bbox_regression: how each box of the grid is moved and stretched.
        features: the levels, for their sizes.
        aspect_ratios: width by height of the boxes of each level; levels are parted by semicolons.
        scales: size of the boxes of each level as a part of the picture, and one more.
        steps: distance of the boxes of each level in pixels; none: as wide as the level says.
        score_thresh: how likely a class has to be.
        nms_thresh: overlap from which the less likely one of two boxes of a class goes.
        detections: boxes of each picture that are kept at most.
        candidates: boxes of each class that are looked at.
    """
    if images.is_meta:
        return _undetected(images, len(images), detections)
    ratios = [[int(ratio) for ratio in level.split(",")] for level in aspect_ratios.split(";")]
    height, width = scaled.shape[-2:]
    detector = SSD(
        _features(features),
        DefaultBoxGenerator(ratios, scales=list(scales), steps=list(steps) or None),
        size=(width, height),
        num_classes=0,
        head=_Computed({"cls_logits": cls_logits, "bbox_regression": bbox_regression}),
        score_thresh=score_thresh,
        nms_thresh=nms_thresh,
        detections_per_img=detections,
        topk_candidates=candidates,
    )
    return _found(detector, images, ImageList(scaled, _pairs(sizes)))


def _features(features: list[Tensor]) -> nn.Module:
    return _Computed({str(level): value for level, value in enumerate(features)})


def _anchors(
    sizes: tuple[int, ...], aspect_ratios: tuple[float, ...], levels: int
) -> AnchorGenerator:
    count = len(sizes) // levels
    parts = [sizes[level * count : (level + 1) * count] for level in range(levels)]
    return AnchorGenerator(parts, (aspect_ratios,) * levels)


def _found(detector: nn.Module, images: Tensor, scaled: ImageList) -> tuple[Tensor, Tensor, Tensor]:
    detector.transform = _ScaledAlready(scaled)
    found = detector.eval()(images)
    count = detector.detections_per_img
    boxes, labels, scores = (
        _padded([part[key] for part in found], count) for key in ("boxes", "labels", "scores")
    )
    return boxes, labels, scores
