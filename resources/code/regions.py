"""What a detector of the R-CNN family of torchvision does between its layers, and its losses.

Proposals and boxes of a batch are one tensor with the same number of rows for each picture; rows of
-1 in pixels of the scaled pictures are empty, and so is what has the score 0. The true boxes come
in beside the pictures: the second half is trained on proposals that are drawn with them in sight.
Where they are not known there are 0 rows of them, and what is found is the same.

Each loss is a number for each picture: in training that of the whole batch, as torchvision has it,
in evaluation the picture's own, of proposals that are chosen without chance.
"""

import torch
from pictures import _nothing, _own_sizes, _padded, _pairs, _undetected
from torch import Tensor, nn
from torchvision.models.detection._utils import BalancedPositiveNegativeSampler
from torchvision.models.detection.anchor_utils import AnchorGenerator
from torchvision.models.detection.image_list import ImageList
from torchvision.models.detection.roi_heads import (
    RoIHeads,
    fastrcnn_loss,
    keypointrcnn_inference,
)
from torchvision.models.detection.rpn import RegionProposalNetwork, concat_box_prediction_layers
from torchvision.models.detection.transform import resize_boxes, resize_keypoints
from torchvision.ops import MultiScaleRoIAlign


class _ComputedHead(nn.Module):
    """Stands for the layers of a proposal network, whose results are there already."""

    def __init__(self, objectness: list[Tensor], deltas: list[Tensor]) -> None:
        super().__init__()
        self.results = (objectness, deltas)

    def forward(self, features: list[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
        return self.results


class _EvenSampler(BalancedPositiveNegativeSampler):
    """Takes as many of each kind as torchvision's, at even distances and not by chance."""

    def __call__(self, matched: list[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
        positive, negative = [], []
        for labels in matched:
            most = int(self.batch_size_per_image * self.positive_fraction)
            hits = _even(labels >= 1, most)
            positive.append(hits)
            negative.append(_even(labels == 0, self.batch_size_per_image - int(hits.sum())))
        return positive, negative


def _even(is_one: Tensor, most: int) -> Tensor:
    """Return some of those that are true, at even distances."""
    places = is_one.nonzero().flatten()
    count = min(len(places), most)
    chosen = torch.zeros_like(is_one)
    if count:
        steps = torch.arange(count, device=places.device) * len(places) // count
        chosen[places[steps]] = True
    return chosen


class RegionProposals(nn.Module):
    """Gives the boxes that may hold something, in pixels of the scaled pictures, and two losses:
    whether the anchors hold something, and how those that do are moved and stretched.

    Args:
        anchor_sizes: sides of the anchors in pixels, the same number for each level.
        aspect_ratios: height by width of the anchors of each size.
        candidates: boxes of each level that are looked at.
        proposals: boxes of each picture that are kept at most.
        nms_thresh: overlap from which the less likely one of two boxes goes.
        score_thresh: how likely a box has to be.
        training_candidates: boxes of each level that are looked at in training.
        training_proposals: boxes of each picture that are kept at most in training.
        fg_iou_thresh: overlap with a true box from which an anchor holds something.
        bg_iou_thresh: overlap below which it holds nothing.
        samples: anchors of each picture that the losses look at, at most.
        positive_fraction: share of those that hold something among them, at most.
    """

    def __init__(
        self,
        *,
        anchor_sizes: tuple[float, ...] = (32, 64, 128, 256, 512),
        aspect_ratios: tuple[float, ...] = (0.5, 1.0, 2.0),
        candidates: int = 1000,
        proposals: int = 1000,
        nms_thresh: float = 0.7,
        score_thresh: float = 0.0,
        training_candidates: int = 2000,
        training_proposals: int = 2000,
        fg_iou_thresh: float = 0.7,
        bg_iou_thresh: float = 0.3,
        samples: int = 256,
        positive_fraction: float = 0.5,
    ) -> None:
        super().__init__()
        self.anchor_sizes = anchor_sizes
        self.aspect_ratios = aspect_ratios
        self.candidates = {"testing": candidates, "training": training_candidates}
        self.proposals = {"testing": proposals, "training": training_proposals}
        self.thresholds = {"nms_thresh": nms_thresh, "score_thresh": score_thresh}
        self.matching = {
            "fg_iou_thresh": fg_iou_thresh,
            "bg_iou_thresh": bg_iou_thresh,
            "batch_size_per_image": samples,
            "positive_fraction": positive_fraction,
        }

    def forward(
        self,
        images: Tensor,
        scaled: Tensor,
        sizes: Tensor,
        objectness: list[Tensor],
        deltas: list[Tensor],
        true_boxes: Tensor,
        true_labels: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return what the class says.

        Args:
            images: the pictures.
            scaled: the scaled pictures.
            sizes: height and width of each of them.
            objectness: for each level how likely each anchor holds something.
            deltas: for each level how each anchor is moved and stretched.
            true_boxes: the true boxes in pixels of the pictures.
            true_labels: their classes, from 0; below 0 where there is no box.
        """
        most = max(self.proposals.values())
        if scaled.is_meta:
            losses = (sum(level.mean() for level in part) for part in (objectness, deltas))
            first, second = (_of_each(loss, len(scaled)) for loss in losses)
            return scaled.new_empty((len(scaled), most, 4)), first, second
        count = len(self.anchor_sizes) // len(objectness)
        network = RegionProposalNetwork(
            AnchorGenerator(
                [self.anchor_sizes[at * count :][:count] for at in range(len(objectness))],
                (self.aspect_ratios,) * len(objectness),
            ),
            _ComputedHead(objectness, deltas),
            pre_nms_top_n=self.candidates,
            post_nms_top_n=self.proposals,
            **self.matching,
            **self.thresholds,
        ).train(self.training)
        named = {str(level): value for level, value in enumerate(objectness)}
        truth = _truth(images, sizes, true_boxes, true_labels)
        pictures = ImageList(scaled, _pairs(sizes))
        found, losses = network(pictures, named, truth)
        if not self.training:
            losses = self._losses(network, pictures, list(named.values()), truth)
        names = ("loss_objectness", "loss_rpn_box_reg")
        objectness_loss, box_loss = (_of_each(losses[name], len(images)) for name in names)
        return _padded(found, most, -1), objectness_loss, box_loss

    def _losses(
        self,
        network: RegionProposalNetwork,
        pictures: ImageList,
        features: list[Tensor],
        truth: list[dict[str, Tensor]],
    ) -> dict[str, Tensor]:
        """Return the losses of each picture alone."""
        network.fg_bg_sampler = _EvenSampler(
            self.matching["batch_size_per_image"], self.matching["positive_fraction"]
        )
        anchors = network.anchor_generator(pictures, features)
        labels, matched = network.assign_targets_to_anchors(anchors, truth)
        wanted = network.box_coder.encode(matched, anchors)
        losses = []
        for at in range(len(truth)):
            parts = ([level[at : at + 1] for level in part] for part in network.head(features))
            whole = concat_box_prediction_layers(*parts)
            losses.append(network.compute_loss(*whole, labels[at : at + 1], wanted[at : at + 1]))
        each = [torch.stack(part) for part in zip(*losses)]
        return dict(zip(("loss_objectness", "loss_rpn_box_reg"), each))


class RegionSamples(nn.Module):
    """Chooses the proposals that the second half is trained on, the true boxes among them, and says
    what each of them holds. In evaluation all proposals stay, and some count for the losses.

    Args:
        samples: proposals of each picture that are looked at, at most.
        positive_fraction: share of those that hold something among them, at most.
        fg_iou_thresh: overlap with a true box from which a proposal holds it.
        bg_iou_thresh: overlap below which it holds nothing.
        box_weights: what the four numbers of a box are multiplied by.
    """

    def __init__(
        self,
        *,
        samples: int = 512,
        positive_fraction: float = 0.25,
        fg_iou_thresh: float = 0.5,
        bg_iou_thresh: float = 0.5,
        box_weights: tuple[float, ...] = (10.0, 10.0, 5.0, 5.0),
    ) -> None:
        super().__init__()
        self.samples = samples
        self.positive_fraction = positive_fraction
        self.matching = {
            "fg_iou_thresh": fg_iou_thresh,
            "bg_iou_thresh": bg_iou_thresh,
            "batch_size_per_image": samples,
            "positive_fraction": positive_fraction,
            "bbox_reg_weights": box_weights,
        }

    def forward(
        self,
        images: Tensor,
        sizes: Tensor,
        proposals: Tensor,
        true_boxes: Tensor,
        true_labels: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return what the class says.

        Args:
            images: the pictures.
            sizes: height and width of each scaled picture.
            proposals: the boxes that may hold something, in pixels of the scaled pictures.
            true_boxes: the true boxes in pixels of the pictures.
            true_labels: their classes, from 0; below 0 where there is no box.
        """
        most = max(self.samples, proposals.shape[1])
        if proposals.is_meta:
            rows = proposals.new_empty((len(proposals), most, 4))
            classes = rows.new_empty(rows.shape[:2], dtype=torch.int64)
            return rows, classes, rows.clone(), classes.clone()
        heads = _heads(**self.matching)
        truth = _truth(images, sizes, true_boxes, true_labels)
        rows = _without_empty(proposals)
        if self.training:
            chosen, matched, classes, targets = heads.select_training_samples(rows, truth)
        else:
            chosen, matched, classes, targets = self._chosen(heads, rows, truth)
        return (
            _padded(chosen, most, -1),
            _padded(classes, most, -1),
            _padded(list(targets), most),
            _padded(matched, most, -1),
        )

    def _chosen(
        self, heads: RoIHeads, rows: list[Tensor], truth: list[dict[str, Tensor]]
    ) -> tuple[list[Tensor], ...]:
        """Return all proposals with what they hold, -1 for those that do not count."""
        boxes = [target["boxes"] for target in truth]
        matched, classes = heads.assign_targets_to_proposals(
            rows, boxes, [target["labels"] for target in truth]
        )
        positive, negative = _EvenSampler(self.samples, self.positive_fraction)(classes)
        held = [
            labels.where(is_one | is_none, -1)
            for labels, is_one, is_none in zip(classes, positive, negative)
        ]
        near = [
            (given if len(given) else each.new_zeros(1, 4))[index]
            for given, index, each in zip(boxes, matched, rows)
        ]
        return rows, matched, held, heads.box_coder.encode(near, rows)


def _heads(
    *,
    fg_iou_thresh: float = 0.5,
    bg_iou_thresh: float = 0.5,
    batch_size_per_image: int = 512,
    positive_fraction: float = 0.25,
    bbox_reg_weights: tuple[float, ...] = (10.0, 10.0, 5.0, 5.0),
    score_thresh: float = 0.05,
    nms_thresh: float = 0.5,
    detections_per_img: int = 100,
) -> RoIHeads:
    """Return torchvision's second half without its layers."""
    return RoIHeads(
        None,
        None,
        None,
        fg_iou_thresh,
        bg_iou_thresh,
        batch_size_per_image,
        positive_fraction,
        bbox_reg_weights,
        score_thresh,
        nms_thresh,
        detections_per_img,
    )


class RegionBoxes(nn.Module):
    """Gives boxes in pixels of the scaled pictures, labels and scores, and two losses: the classes,
    and how boxes are moved and stretched. In training nothing is found.

    Args:
        box_weights: what the four numbers of a box were multiplied by in training.
        score_thresh: how likely a class has to be.
        nms_thresh: overlap from which the less likely one of two boxes of a class goes.
        detections: boxes of each picture that are kept at most.
        first_label: the number of the first class behind the background: 0 as the classes of data
            are counted, 1 as torchvision does it.
    """

    def __init__(
        self,
        *,
        box_weights: tuple[float, ...] = (10.0, 10.0, 5.0, 5.0),
        score_thresh: float = 0.05,
        nms_thresh: float = 0.5,
        detections: int = 100,
        first_label: int = 1,
    ) -> None:
        super().__init__()
        self.settings = {
            "bbox_reg_weights": box_weights,
            "score_thresh": score_thresh,
            "nms_thresh": nms_thresh,
            "detections_per_img": detections,
        }
        self.detections = detections
        self.first_label = first_label

    def forward(
        self,
        sizes: Tensor,
        proposals: Tensor,
        logits: Tensor,
        deltas: Tensor,
        held_classes: Tensor,
        held_deltas: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """Return what the class says.

        Args:
            sizes: height and width of each scaled picture.
            proposals: the boxes that were looked at.
            logits: for each of them how likely each class is.
            deltas: for each of them and each class how the box is moved and stretched.
            held_classes: what each of them holds; below 0 where it does not count.
            held_deltas: how each of them would have to be moved and stretched.
        """
        count = len(proposals)
        boxes, labels, scores = _undetected(proposals, count, self.detections)
        if proposals.is_meta:
            first, second = (_of_each(each.mean(), count) for each in (logits, deltas))
            return boxes, labels, scores, first, second
        rows = _without_empty(proposals)
        if self.training:
            boxes, labels, scores = _nothing(proposals, self.detections)
            boxes = boxes - 1
        else:
            heads = _heads(**self.settings)
            found = heads.postprocess_detections(logits, deltas, rows, _pairs(sizes))
            boxes, labels = (
                _padded(found[0], self.detections, -1),
                _padded(found[2], self.detections),
            )
            scores = _padded(found[1], self.detections)
            labels = labels.where(labels == 0, labels - 1 + self.first_label)
        counts = [len(each) for each in rows]
        held = [classes[:each] for classes, each in zip(held_classes, counts)]
        wanted = [targets[:each] for targets, each in zip(held_deltas, counts)]
        if self.training:
            losses = fastrcnn_loss(logits, deltas, held, wanted)
        else:
            parts = zip(logits.split(counts), deltas.split(counts), held, wanted)
            losses = [torch.stack(each) for each in zip(*(_loss_of_counted(*p) for p in parts))]
        class_loss, box_loss = (_of_each(loss, count) for loss in losses)
        return boxes, labels, scores, class_loss, box_loss


def _loss_of_counted(
    logits: Tensor, deltas: Tensor, held: Tensor, wanted: Tensor
) -> tuple[Tensor, Tensor]:
    """Return the losses of one picture by the proposals that count; 0 where none does."""
    counts = held >= 0
    if not counts.any():
        return logits.new_zeros(()), logits.new_zeros(())
    return fastrcnn_loss(logits[counts], deltas[counts], [held[counts]], [wanted[counts]])


def _of_each(losses: Tensor, pictures: int) -> Tensor:
    """Return a loss for each picture: that of the batch, or what there is for each already."""
    return losses.expand(pictures) if losses.ndim == 0 else losses


def _truth(images: Tensor, sizes: Tensor, boxes: Tensor, labels: Tensor) -> list[dict[str, Tensor]]:
    """Return the true boxes of each picture in pixels of the scaled one, without what stands for no
    box, with their classes from 1 as torchvision counts them.
    """
    truth = []
    parts = zip(boxes.to(images), labels, _own_sizes(images), _pairs(sizes))
    for rows, classes, own, size in parts:
        kept = (classes >= 0) & (rows[:, 2:] > rows[:, :2]).all(dim=1)
        found = resize_boxes(rows[kept].clamp(min=0), own, size)
        truth.append({"boxes": found, "labels": classes[kept] + 1})
    return truth


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
