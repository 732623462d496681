"""What a Mask R-CNN of torchvision does between its layers: the masks of what it finds, and their
loss.

In training the masks of proposals that hold something are looked at; in evaluation those of what is
found, and of such proposals for a loss of each picture.
"""

import torch
from pictures import _own_sizes, _padded, _pairs
from regions import _of_each, _without_empty
from torch import Tensor, nn
from torchvision.models.detection.roi_heads import (
    maskrcnn_inference,
    maskrcnn_loss,
    paste_masks_in_image,
)
from torchvision.models.detection.transform import resize_boxes


def mask_regions(boxes: Tensor, proposals: Tensor, held_classes: Tensor) -> Tensor:
    """Gives the boxes whose masks are looked at, in pixels of the scaled pictures: what was found,
    then the proposals that hold something.

    Args:
        boxes: what was found in pixels of the scaled pictures.
        proposals: the boxes that were looked at.
        held_classes: what each of them holds; 0 and below where it is nothing.
    """
    most = boxes.shape[1] + proposals.shape[1]
    if boxes.is_meta:
        return boxes.new_empty((len(boxes), most, 4))
    held = _holding(proposals, held_classes)
    parts = zip(_without_empty(boxes), held)
    return _padded([torch.cat((found, rows)) for found, rows in parts], most, -1)


class RegionMasks(nn.Module):
    """Gives for each box that was found how likely each pixel of the picture is of its object,
    (batch, boxes, 1, height, width), and a loss: how well the masks of proposals fit the true ones.
    In training there are no masks.

    Args:
        first_label: the number of the first class behind the background: 0 as the classes of data
            are counted, 1 as torchvision does it.
    """

    def __init__(self, *, first_label: int = 1) -> None:
        super().__init__()
        self.first_label = first_label

    def forward(
        self,
        images: Tensor,
        sizes: Tensor,
        boxes: Tensor,
        labels: Tensor,
        proposals: Tensor,
        held_classes: Tensor,
        held: Tensor,
        logits: Tensor,
        true_boxes: Tensor,
        true_labels: Tensor,
        true_masks: Tensor,
    ) -> tuple[Tensor, Tensor]:
        """Return what the class says.

        Args:
            images: the pictures.
            sizes: height and width of each scaled picture.
            boxes: what was found in pixels of the scaled pictures.
            labels: their classes.
            proposals: the boxes that were looked at.
            held_classes: what each of them holds; 0 and below where it is nothing.
            held: which true box each of them holds.
            logits: for each box whose mask is looked at and each class a small mask.
            true_boxes: the true boxes in pixels of the pictures.
            true_labels: their classes, from 0; below 0 where there is no box.
            true_masks: their masks, as large as the pictures.
        """
        size = (images.shape[-2], images.shape[-1])
        count = 0 if self.training else boxes.shape[1]
        if boxes.is_meta:
            masks = images.new_empty((*boxes.shape[:2], 1, *size))
            return masks, _of_each(logits.mean(), len(images))
        found = _without_empty(boxes)
        rows = _holding(proposals, held_classes)
        counts = [len(part) for pair in zip(found, rows) for part in pair]
        parts = logits.split(counts)
        masks = images.new_zeros((len(images), count, 1, *size))
        if not self.training:
            masks = self._masks(images, sizes, found, labels, parts[::2])
        loss = self._loss(images, sizes, rows, held_classes, held, parts[1::2], true_boxes,
                          true_labels, true_masks)  # fmt: skip
        return masks, loss

    def _masks(
        self,
        images: Tensor,
        sizes: Tensor,
        found: list[Tensor],
        labels: Tensor,
        parts: tuple[Tensor, ...],
    ) -> Tensor:
        """Return the masks of what was found, as large as the pictures."""
        size = (images.shape[-2], images.shape[-1])
        classes = [row[: len(part)] - self.first_label + 1 for row, part in zip(labels, found)]
        small = maskrcnn_inference(torch.cat(parts), classes)
        own = zip(found, _pairs(sizes), _own_sizes(images))
        whole = [resize_boxes(*pair) for pair in own]
        pasted = [paste_masks_in_image(*pair, size) for pair in zip(small, whole)]
        return _padded(pasted, labels.shape[1])

    def _loss(
        self,
        images: Tensor,
        sizes: Tensor,
        rows: list[Tensor],
        held_classes: Tensor,
        held: Tensor,
        parts: tuple[Tensor, ...],
        true_boxes: Tensor,
        true_labels: Tensor,
        true_masks: Tensor,
    ) -> Tensor:
        """Return the loss: in training that of the batch, in evaluation one for each picture."""
        masks, classes = _scaled_masks(images, sizes, true_boxes, true_labels, true_masks)
        matched = [numbers[held > 0] for numbers, held in zip(held, held_classes)]
        if self.training:
            whole = maskrcnn_loss(torch.cat(parts), rows, masks, classes, matched)
            return _of_each(whole, len(images))
        each = zip(parts, rows, masks, classes, matched)
        return torch.stack([_loss_of_one(*part) for part in each])


def _loss_of_one(
    logits: Tensor, rows: Tensor, masks: Tensor, labels: Tensor, matched: Tensor
) -> Tensor:
    """Return the loss of one picture; 0 where nothing is held."""
    if not len(rows):
        return logits.new_zeros(())
    return maskrcnn_loss(logits, [rows], [masks], [labels], [matched])


def _holding(proposals: Tensor, held_classes: Tensor) -> list[Tensor]:
    """Return the proposals of each picture that hold something."""
    return [rows[classes > 0] for rows, classes in zip(proposals, held_classes)]


def _scaled_masks(
    images: Tensor, sizes: Tensor, boxes: Tensor, labels: Tensor, masks: Tensor
) -> tuple[list[Tensor], list[Tensor]]:
    """Return the true masks of each picture in pixels of the scaled one, without those of what
    stands for no box, and their classes from 1 as torchvision counts them.
    """
    scaled, known = [], []
    for rows, classes, own, size in zip(boxes, labels, masks, _pairs(sizes)):
        kept = (classes >= 0) & (rows[:, 2:] > rows[:, :2]).all(dim=1)
        chosen = own[kept].to(images)
        if len(chosen):
            chosen = nn.functional.interpolate(chosen[:, None], size=size)[:, 0]
        scaled.append(chosen if len(chosen) else chosen.new_zeros((0, *size)))
        known.append(classes[kept] + 1)
    return scaled, known
