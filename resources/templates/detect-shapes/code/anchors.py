"""What the detectors of torchvision that look once (RetinaNet, FCOS, SSD) find by their anchors,
and their losses.

What is found is filled up to the same number of rows for each picture; rows with score
0 are empty, in training all of them. Beside it stand the answers of the layers, which are what the
losses look at: for each anchor its left, top, right and bottom in pixels of the scaled pictures, by
how much these are wider and higher than the pictures, how it is moved and stretched (4 numbers),
for FCOS how near to the centre it is, and how likely each class is.
"""

import torch
from pictures import _nothing, _own_sizes, _padded, _pairs, _undetected
from torch import Tensor, nn
from torchvision.models.detection import FCOS, RetinaNet
from torchvision.models.detection._utils import BoxCoder, BoxLinearCoder, Matcher
from torchvision.models.detection.anchor_utils import AnchorGenerator, DefaultBoxGenerator
from torchvision.models.detection.fcos import FCOSHead
from torchvision.models.detection.image_list import ImageList
from torchvision.models.detection.retinanet import (
    RetinaNetClassificationHead,
    RetinaNetHead,
    RetinaNetRegressionHead,
)
from torchvision.models.detection.ssd import SSD
from torchvision.models.detection.transform import GeneralizedRCNNTransform
from torchvision.ops import box_iou


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


class _AnchorBoxes(nn.Module):
    """What is the same of all three: the limits of what is found, and the way to it."""

    def __init__(
        self, score_thresh: float, nms_thresh: float, detections: int, candidates: int
    ) -> None:
        super().__init__()
        self.detections = detections
        self.limits = {
            "score_thresh": score_thresh,
            "nms_thresh": nms_thresh,
            "detections_per_img": detections,
            "topk_candidates": candidates,
        }

    def _results(
        self,
        detector: nn.Module,
        images: Tensor,
        scaled: Tensor,
        sizes: Tensor,
        features: list[Tensor],
        answered: tuple[Tensor, ...],
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return what is found, and what the layers say for each anchor beside the anchor."""
        pictures = ImageList(scaled, _pairs(sizes))
        boxes, labels, scores = self._found(detector, images, pictures)
        anchors = torch.stack(detector.anchor_generator(pictures, features))
        own = torch.tensor(_own_sizes(images), dtype=torch.float32, device=sizes.device)
        ratios = (sizes.to(torch.float32) / own).flip(1).to(anchors)
        spread = ratios[:, None].expand(-1, anchors.shape[1], -1)
        return boxes, labels, scores, torch.cat((anchors, spread, *answered), dim=2)

    def _found(
        self, detector: nn.Module, images: Tensor, pictures: ImageList
    ) -> tuple[Tensor, Tensor, Tensor]:
        if self.training:
            return _nothing(images, self.detections)
        detector.transform = _ScaledAlready(pictures)
        with torch.no_grad():  # what is found is no way for gradients
            found = detector.eval()(images)
        boxes, labels, scores = (
            _padded([part[key] for part in found], self.detections)
            for key in ("boxes", "labels", "scores")
        )
        return boxes, labels, scores


class RetinaNetBoxes(_AnchorBoxes):
    """Gives the boxes that RetinaNet finds, in pixels of the pictures, their labels and scores, and
    the answers for its loss.

    Args:
        anchor_sizes: sides of the anchors in pixels, the same number for each level.
        aspect_ratios: height by width of the anchors of each size.
        score_thresh: how likely a class has to be.
        nms_thresh: overlap from which the less likely one of two boxes of a class goes.
        detections: boxes of each picture that are kept at most.
        candidates: boxes of each level that are looked at.
    """

    def __init__(
        self,
        *,
        anchor_sizes: tuple[int, ...] = (),
        aspect_ratios: tuple[float, ...] = (0.5, 1.0, 2.0),
        score_thresh: float = 0.05,
        nms_thresh: float = 0.5,
        detections: int = 300,
        candidates: int = 1000,
    ) -> None:
        super().__init__(score_thresh, nms_thresh, detections, candidates)
        self.anchor_sizes = anchor_sizes
        self.aspect_ratios = aspect_ratios

    def forward(
        self,
        images: Tensor,
        scaled: Tensor,
        sizes: Tensor,
        cls_logits: Tensor,
        bbox_regression: Tensor,
        features: list[Tensor],
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return what is found and the answers.

        Args:
            images: the pictures.
            scaled: the scaled pictures.
            sizes: height and width of each of them.
            cls_logits: how likely each class is at each anchor.
            bbox_regression: how each anchor is moved and stretched.
            features: the levels, for their sizes.
        """
        answered = (bbox_regression, cls_logits)
        if images.is_meta:
            return _unanswered(images, self.detections, answered)
        detector = RetinaNet(
            _features(features),
            num_classes=0,
            anchor_generator=_anchors(self.anchor_sizes, self.aspect_ratios, len(features)),
            head=_Computed({"cls_logits": cls_logits, "bbox_regression": bbox_regression}),
            **self.limits,
        )
        return self._results(detector, images, scaled, sizes, features, answered)


class FCOSBoxes(_AnchorBoxes):
    """Gives the boxes that FCOS finds, in pixels of the pictures, their labels and scores, and the
    answers for its loss.

    Args:
        anchor_sizes: distance of the points of each level, in pixels.
        score_thresh: how likely a class has to be.
        nms_thresh: overlap from which the less likely one of two boxes of a class goes.
        detections: boxes of each picture that are kept at most.
        candidates: boxes of each level that are looked at.
    """

    def __init__(
        self,
        *,
        anchor_sizes: tuple[int, ...] = (8, 16, 32, 64, 128),
        score_thresh: float = 0.2,
        nms_thresh: float = 0.6,
        detections: int = 100,
        candidates: int = 1000,
    ) -> None:
        super().__init__(score_thresh, nms_thresh, detections, candidates)
        self.anchor_sizes = anchor_sizes

    def forward(
        self,
        images: Tensor,
        scaled: Tensor,
        sizes: Tensor,
        cls_logits: Tensor,
        bbox_regression: Tensor,
        bbox_ctrness: Tensor,
        features: list[Tensor],
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return what is found and the answers.

        Args:
            images: the pictures.
            scaled: the scaled pictures.
            sizes: height and width of each of them.
            cls_logits: how likely each class is at each point.
            bbox_regression: how far the edges are from each point.
            bbox_ctrness: how near to the centre of its object each point is.
            features: the levels, for their sizes.
        """
        answered = (bbox_regression, bbox_ctrness, cls_logits)
        if images.is_meta:
            return _unanswered(images, self.detections, answered)
        results = {
            "cls_logits": cls_logits,
            "bbox_regression": bbox_regression,
            "bbox_ctrness": bbox_ctrness,
        }
        detector = FCOS(
            _features(features),
            num_classes=0,
            anchor_generator=_anchors(self.anchor_sizes, (1.0,), len(features)),
            head=_Computed(results),
            **self.limits,
        )
        return self._results(detector, images, scaled, sizes, features, answered)


class SSDBoxes(_AnchorBoxes):
    """Gives the boxes that SSD finds, in pixels of the pictures, their labels and scores, and the
    answers for its loss.

    Args:
        aspect_ratios: width by height of the boxes of each level; levels are parted by semicolons.
        scales: size of the boxes of each level as a part of the picture, and one more.
        steps: distance of the boxes of each level in pixels; none: as wide as the level says.
        score_thresh: how likely a class has to be.
        nms_thresh: overlap from which the less likely one of two boxes of a class goes.
        detections: boxes of each picture that are kept at most.
        candidates: boxes of each class that are looked at.
        first_label: the number of the first class behind the background: 0 as the classes of data
            are counted, 1 as torchvision does it.
    """

    def __init__(
        self,
        *,
        aspect_ratios: str = "2; 2, 3; 2, 3; 2, 3; 2; 2",
        scales: tuple[float, ...] = (0.07, 0.15, 0.33, 0.51, 0.69, 0.87, 1.05),
        steps: tuple[int, ...] = (),
        score_thresh: float = 0.01,
        nms_thresh: float = 0.45,
        detections: int = 200,
        candidates: int = 400,
        first_label: int = 1,
    ) -> None:
        super().__init__(score_thresh, nms_thresh, detections, candidates)
        self.aspect_ratios = aspect_ratios
        self.scales = scales
        self.steps = steps
        self.first_label = first_label

    def forward(
        self,
        images: Tensor,
        scaled: Tensor,
        sizes: Tensor,
        cls_logits: Tensor,
        bbox_regression: Tensor,
        features: list[Tensor],
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return what is found and the answers.

        Args:
            images: the pictures.
            scaled: the scaled pictures.
            sizes: height and width of each of them.
            cls_logits: how likely each class is at each box of the grid.
            bbox_regression: how each box of the grid is moved and stretched.
            features: the levels, for their sizes.
        """
        answered = (bbox_regression, cls_logits)
        if images.is_meta:
            return _unanswered(images, self.detections, answered)
        ratios = [
            [int(ratio) for ratio in level.split(",")] for level in self.aspect_ratios.split(";")
        ]
        height, width = scaled.shape[-2:]
        detector = SSD(
            _features(features),
            DefaultBoxGenerator(ratios, scales=list(self.scales), steps=list(self.steps) or None),
            size=(width, height),
            num_classes=0,
            head=_Computed({"cls_logits": cls_logits, "bbox_regression": bbox_regression}),
            **self.limits,
        )
        boxes, labels, scores, answers = self._results(
            detector, images, scaled, sizes, features, answered
        )
        labels = torch.where(scores > 0, labels - 1 + self.first_label, labels)
        return boxes, labels, scores, answers


def _features(features: list[Tensor]) -> nn.Module:
    return _Computed({str(level): value for level, value in enumerate(features)})


def _anchors(
    sizes: tuple[int, ...], aspect_ratios: tuple[float, ...], levels: int
) -> AnchorGenerator:
    count = len(sizes) // levels
    parts = [sizes[level * count : (level + 1) * count] for level in range(levels)]
    return AnchorGenerator(parts, (aspect_ratios,) * levels)


def _unanswered(
    images: Tensor, detections: int, answered: tuple[Tensor, ...]
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return what is found and answered where there are no values: their sizes."""
    boxes, labels, scores = _undetected(images, len(images), detections)
    anchors = answered[0].new_empty((*answered[0].shape[:2], 6))
    return boxes, labels, scores, torch.cat((anchors, *answered), dim=2)


class _RetinaNetLosses(RetinaNetHead):
    """The losses of RetinaNet's head, without its layers."""

    def __init__(self) -> None:
        nn.Module.__init__(self)
        self.classification_head = _ClassLoss()
        self.regression_head = _BoxLoss()


class _ClassLoss(RetinaNetClassificationHead):
    def __init__(self) -> None:
        nn.Module.__init__(self)
        self.BETWEEN_THRESHOLDS = Matcher.BETWEEN_THRESHOLDS


class _BoxLoss(RetinaNetRegressionHead):
    def __init__(self) -> None:
        nn.Module.__init__(self)
        self.box_coder = BoxCoder(weights=(1.0, 1.0, 1.0, 1.0))
        self._loss_type = "l1"


class _FCOSLosses(FCOSHead):
    """The losses of FCOS's head, without its layers."""

    def __init__(self) -> None:
        nn.Module.__init__(self)
        self.box_coder = BoxLinearCoder(normalize_by_size=True)


def retinanet_loss(
    answers: Tensor,
    labels: Tensor,
    boxes: Tensor,
    *,
    fg_iou_thresh: float = 0.5,
    bg_iou_thresh: float = 0.4,
    box_weight: float = 1.0,
) -> Tensor:
    """The losses of RetinaNet together: focal loss of the classes, and absolute differences of the
    boxes.

    Args:
        answers: what the layers say for each anchor.
        labels: the classes of the true boxes, from 0; below 0 where there is no box.
        boxes: left, top, right and bottom of the true boxes in pixels of the pictures.
        fg_iou_thresh: overlap with a true box from which an anchor stands for it.
        bg_iou_thresh: overlap below which it stands for nothing.
        box_weight: what the loss of the boxes is multiplied by.
    """
    if answers.is_meta:
        return answers.sum()
    detector = RetinaNet(
        _features([]),
        num_classes=0,
        anchor_generator=_anchors((1,), (1.0,), 1),
        head=_RetinaNetLosses(),
        fg_iou_thresh=fg_iou_thresh,
        bg_iou_thresh=bg_iou_thresh,
    )
    targets, anchors, (bbox_regression, cls_logits) = _compared(answers, labels, boxes, (4,))
    results = {"cls_logits": cls_logits, "bbox_regression": bbox_regression}
    losses = detector.compute_loss(targets, results, anchors)
    return losses["classification"] + box_weight * losses["bbox_regression"]


def fcos_loss(
    answers: Tensor,
    labels: Tensor,
    boxes: Tensor,
    *,
    center_sampling_radius: float = 1.5,
    box_weight: float = 1.0,
) -> Tensor:
    """The losses of FCOS together: focal loss of the classes, generalised IoU of the boxes, and
    cross entropy of how near to the centre of its object each point is.

    Args:
        answers: what the layers say for each point.
        labels: the classes of the true boxes, from 0; below 0 where there is no box.
        boxes: left, top, right and bottom of the true boxes in pixels of the pictures.
        center_sampling_radius: how far from the centre of a box its points are at most, in
            distances of the points.
        box_weight: what the loss of the boxes is multiplied by.
    """
    if answers.is_meta:
        return answers.sum()
    detector = FCOS(
        _features([]),
        num_classes=0,
        anchor_generator=_anchors((1,), (1.0,), 1),
        head=_FCOSLosses(),
        center_sampling_radius=center_sampling_radius,
    )
    targets, anchors, parts = _compared(answers, labels, boxes, (4, 1))
    results = dict(zip(("bbox_regression", "bbox_ctrness", "cls_logits"), parts))
    sides = anchors[0][:, 2] - anchors[0][:, 0]
    levels = [int((sides == side).sum()) for side in (sides[0], sides[-1])]
    losses = detector.compute_loss(targets, results, anchors, levels)
    return (
        losses["classification"] + box_weight * losses["bbox_regression"] + losses["bbox_ctrness"]
    )


def ssd_loss(
    answers: Tensor,
    labels: Tensor,
    boxes: Tensor,
    *,
    iou_thresh: float = 0.5,
    positive_fraction: float = 0.25,
    box_weight: float = 1.0,
) -> Tensor:
    """The losses of SSD together: cross entropy of the classes, with the hardest of the boxes of
    the grid that stand for nothing, and smooth absolute differences of the boxes.

    Args:
        answers: what the layers say for each box of the grid.
        labels: the classes of the true boxes, from 0; below 0 where there is no box.
        boxes: left, top, right and bottom of the true boxes in pixels of the pictures.
        iou_thresh: overlap with a true box from which one of the grid stands for it.
        positive_fraction: share of those that stand for a true box among all that count.
        box_weight: what the loss of the boxes is multiplied by.
    """
    if answers.is_meta:
        return answers.sum()
    detector = SSD(
        _features([]),
        DefaultBoxGenerator([[2]], scales=[0.1, 0.2]),
        size=(1, 1),
        num_classes=0,
        head=_Computed({}),
        iou_thresh=iou_thresh,
        positive_fraction=positive_fraction,
    )
    targets, anchors, (bbox_regression, cls_logits) = _compared(answers, labels + 1, boxes, (4,), 1)
    matched = [
        detector.proposal_matcher(box_iou(target["boxes"], rows))
        if len(target["boxes"])
        else rows.new_full((len(rows),), -1, dtype=torch.int64)
        for target, rows in zip(targets, anchors)
    ]
    results = {"cls_logits": cls_logits, "bbox_regression": bbox_regression}
    losses = detector.compute_loss(targets, results, anchors, matched)
    return losses["classification"] + box_weight * losses["bbox_regression"]


def _compared(
    answers: Tensor, labels: Tensor, boxes: Tensor, widths: tuple[int, ...], first: int = 0
) -> tuple[list[dict[str, Tensor]], list[Tensor], tuple[Tensor, ...]]:
    """Return the true boxes of each picture in pixels of the scaled one, without what stands for no
    box, the anchors of each, and the answers, of so many numbers an anchor.
    """
    anchors, ratios = answers[..., :4].detach(), answers[:, 0, 4:6].detach()
    parts = answers[..., 6:].split((*widths, answers.shape[2] - 6 - sum(widths)), dim=2)
    targets = []
    for given, classes, ratio in zip(boxes, labels, ratios):
        rows = given.to(ratio) * ratio.repeat(2)
        kept = (classes >= first) & (rows[:, 2:] > rows[:, :2]).all(dim=1)
        targets.append({"boxes": rows[kept], "labels": classes[kept]})
    return targets, list(anchors), parts
