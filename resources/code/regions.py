"""What a detector of the R-CNN family of torchvision does between its layers.

Proposals and boxes of a batch are one tensor with the same number of rows for each picture; rows of
-1 in pixels of the scaled pictures are empty, and so is what has the score 0.
"""

from pictures import _own_sizes, _padded, _pairs, _undetected
from torch import Tensor, nn
from torchvision.models.detection.anchor_utils import AnchorGenerator
from torchvision.models.detection.image_list import ImageList
from torchvision.models.detection.roi_heads import (
    RoIHeads,
    keypointrcnn_inference,
    maskrcnn_inference,
    paste_masks_in_image,
)
from torchvision.models.detection.rpn import RegionProposalNetwork
from torchvision.models.detection.transform import resize_boxes, resize_keypoints
from torchvision.ops import MultiScaleRoIAlign


class _ComputedHead(nn.Module):
    """Stands for the layers of a proposal network, whose results are there already."""

    def __init__(self, objectness: list[Tensor], deltas: list[Tensor]) -> None:
        super().__init__()
        self.results = (objectness, deltas)

    def forward(self, features: list[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
        return self.results


def region_proposals(
    scaled: Tensor,
    sizes: Tensor,
    objectness: list[Tensor],
    deltas: list[Tensor],
    *,
    anchor_sizes: tuple[float, ...] = (32, 64, 128, 256, 512),
    aspect_ratios: tuple[float, ...] = (0.5, 1.0, 2.0),
    candidates: int = 1000,
    proposals: int = 1000,
    nms_thresh: float = 0.7,
    score_thresh: float = 0.0,
) -> Tensor:
    """Gives the boxes that may hold something, in pixels of the scaled pictures.

    Args:
        scaled: the scaled pictures.
        sizes: height and width of each of them.
        objectness: for each level how likely each anchor holds something.
        deltas: for each level how each anchor is moved and stretched.
        anchor_sizes: sides of the anchors in pixels, the same number for each level.
        aspect_ratios: height by width of the anchors of each size.
        candidates: boxes of each level that are looked at.
        proposals: boxes of each picture that are kept at most.
        nms_thresh: overlap from which the less likely one of two boxes goes.
        score_thresh: how likely a box has to be.
    """
    if scaled.is_meta:
        return scaled.new_empty((len(scaled), proposals, 4))
    count = len(anchor_sizes) // len(objectness)
    levels = [anchor_sizes[at * count : (at + 1) * count] for at in range(len(objectness))]
    network = RegionProposalNetwork(
        AnchorGenerator(levels, (aspect_ratios,) * len(levels)),
        _ComputedHead(objectness, deltas),
        fg_iou_thresh=0.7,
        bg_iou_thresh=0.3,
        batch_size_per_image=256,
        positive_fraction=0.5,
        pre_nms_top_n={"testing": candidates},
        post_nms_top_n={"testing": proposals},
        nms_thresh=nms_thresh,
        score_thresh=score_thresh,
    )
    named = {str(level): value for level, value in enumerate(objectness)}
    found, _ = network.eval()(ImageList(scaled, _pairs(sizes)), named)
    return _padded(found, proposals, -1)


def region_features(
    sizes: Tensor,
    boxes: Tensor,
    features: list[Tensor],
    *,
    output_size: int = 7,
    sampling_ratio: int = 2,
) -> Tensor:
    """Cuts the features below each box out, all in one size: (boxes of all pictures, channels,
    side, side).

    Args:
        sizes: height and width of each scaled picture.
        boxes: boxes in pixels of the scaled pictures; empty rows are left out.
        features: the levels that are cut from.
        output_size: height and width of what is cut out.
        sampling_ratio: points in each direction that a value is the mean of.
    """
    if boxes.is_meta:
        rows = boxes.shape[0] * boxes.shape[1]
        return features[0].new_empty((rows, features[0].shape[1], output_size, output_size))
    named = {str(level): value for level, value in enumerate(features)}
    pool = MultiScaleRoIAlign(list(named), output_size, sampling_ratio)
    return pool(named, _without_empty(boxes), _pairs(sizes))


def region_boxes(
    sizes: Tensor,
    proposals: Tensor,
    logits: Tensor,
    deltas: Tensor,
    *,
    box_weights: tuple[float, ...] = (10.0, 10.0, 5.0, 5.0),
    score_thresh: float = 0.05,
    nms_thresh: float = 0.5,
    detections: int = 100,
) -> tuple[Tensor, Tensor, Tensor]:
    """Gives boxes in pixels of the scaled pictures, labels and scores.

    Args:
        sizes: height and width of each scaled picture.
        proposals: the boxes that were looked at.
        logits: for each of them how likely each class is.
        deltas: for each of them and each class how the box is moved and stretched.
        box_weights: what the four numbers of a box were multiplied by in training.
        score_thresh: how likely a class has to be.
        nms_thresh: overlap from which the less likely one of two boxes of a class goes.
        detections: boxes of each picture that are kept at most.
    """
    if proposals.is_meta:
        return _undetected(proposals, len(proposals), detections)
    heads = RoIHeads(
        box_roi_pool=None,
        box_head=None,
        box_predictor=None,
        fg_iou_thresh=0.5,
        bg_iou_thresh=0.5,
        batch_size_per_image=512,
        positive_fraction=0.25,
        bbox_reg_weights=box_weights,
        score_thresh=score_thresh,
        nms_thresh=nms_thresh,
        detections_per_img=detections,
    )
    found = heads.postprocess_detections(logits, deltas, _without_empty(proposals), _pairs(sizes))
    boxes, scores, labels = found
    return _padded(boxes, detections, -1), _padded(labels, detections), _padded(scores, detections)


def boxes_of_pictures(images: Tensor, sizes: Tensor, boxes: Tensor) -> Tensor:
    """Gives boxes in pixels of the pictures (left, top, right, bottom); empty rows are 0.

    Args:
        images: the pictures.
        sizes: height and width of each scaled picture.
        boxes: boxes in pixels of the scaled pictures.
    """
    if boxes.is_meta:
        return boxes.clone()
    parts = zip(_without_empty(boxes), _pairs(sizes), _own_sizes(images))
    return _padded([resize_boxes(*part) for part in parts], boxes.shape[1])


def masks_of_pictures(images: Tensor, boxes: Tensor, labels: Tensor, logits: Tensor) -> Tensor:
    """Gives for each box how likely each pixel of the picture is of its object: (batch, boxes, 1,
    height, width).

    Args:
        images: the pictures.
        boxes: boxes in pixels of the pictures.
        labels: their classes; those of 0 are empty.
        logits: for each box and each class a small mask.
    """
    size = (images.shape[-2], images.shape[-1])
    if boxes.is_meta:
        return images.new_empty((*boxes.shape[:2], 1, *size))
    counts = [int(row.count_nonzero()) for row in labels]
    masks = maskrcnn_inference(logits, [row[:count] for row, count in zip(labels, counts)])
    whole = [row[:count] for row, count in zip(boxes, counts)]
    found = [paste_masks_in_image(mask, row, size) for mask, row in zip(masks, whole)]
    return _padded(found, boxes.shape[1])


def keypoints_of_pictures(
    images: Tensor, sizes: Tensor, boxes: Tensor, logits: Tensor
) -> tuple[Tensor, Tensor]:
    """Gives the keypoints of each box in pixels of the picture (x, y, visible) and their scores.

    Args:
        images: the pictures.
        sizes: height and width of each scaled picture.
        boxes: boxes in pixels of the scaled pictures.
        logits: for each box and each keypoint a map of how likely it is where.
    """
    count = boxes.shape[1]
    if boxes.is_meta:
        keypoints = images.new_empty((len(images), count, logits.shape[1], 3))
        return keypoints, keypoints[..., 0]
    points, scores = keypointrcnn_inference(logits, _without_empty(boxes))
    parts = zip(points, _pairs(sizes), _own_sizes(images))
    return _padded([resize_keypoints(*part) for part in parts], count), _padded(scores, count)


def _without_empty(boxes: Tensor) -> list[Tensor]:
    return [rows[: int((rows[:, 0] >= 0).sum())] for rows in boxes]
