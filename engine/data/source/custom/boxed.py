"""Samples of the user's code with boxes: a picture and a target as torchvision's detectors take it,
a dictionary with ``boxes`` and ``labels``.
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import torch
from torch import Tensor

from engine.data.source.field import box_infos, box_mask_info
from engine.spec.data import FieldInfo

BOXES, LABELS, MASKS = "boxes", "labels", "masks"
BACKGROUND = "background"
"""The name of class 0 where classes have names from 1 on, as torchvision counts them."""

_BESIDE = frozenset(("area", "iscrowd", "image_id"))
"""What torchvision's evaluation has in a target: as many as boxes, or a number of a file."""

_CORNERS = 4
_MASK_AXES = 3  # objects, height, width
_HALF = 0.5
_SHOWN = 60  # letters of a wrong value


class UnusableBoxesError(TypeError):
    """Boxes of a sample are not as torchvision has them; the text says what there is."""


class EmptyBoxError(TypeError):
    """A box has no area; the text says which."""


def is_boxed(values: Mapping[str, object]) -> bool:
    """Return whether values by name hold boxes with their classes."""
    return BOXES in values and LABELS in values


def without_target(values: Mapping[str, object]) -> dict[str, object]:
    """Return the values of a sample with those of a target that holds boxes among them, by their
    own names, and without what belongs to its boxes only.
    """
    found: dict[str, object] = {}
    if is_boxed(values):
        return {name: value for name, value in values.items() if name not in _BESIDE}
    for name, value in values.items():
        target = cast("Mapping[object, object]", value) if isinstance(value, Mapping) else {}
        inner = {str(key): each for key, each in target.items()}
        if is_boxed(inner):
            found |= {key: inner[key] for key in (BOXES, LABELS, MASKS) if key in inner}
        else:
            found[name] = value
    return found


def samples_of_batch(batch: object, count: int) -> list[object] | None:
    """Return the samples of a batch that a ``collate_fn`` of a detector made: a list of pictures
    and a list of targets; None for any other.
    """
    if not isinstance(batch, tuple | list):
        return None
    parts = cast("Sequence[object]", batch)
    if not parts or not all(isinstance(part, tuple | list) for part in parts):
        return None
    lists = cast("Sequence[Sequence[object]]", parts)
    if any(len(part) != count for part in lists):
        return None
    rows: list[object] = list(zip(*lists, strict=True))
    has_targets = all(isinstance(each, Mapping) for each in lists[-1])
    return rows if len(lists) > 1 and has_targets else None


def box_tensors(values: Mapping[str, Tensor], given: Mapping[str, object]) -> dict[str, Tensor]:
    """Return the values of a sample with its boxes as float32 of shape (any, 4), left, top, right
    and bottom, its labels as int64 of shape (any,) and, where there are some, its masks as bool of
    shape (any, height, width); ``given`` is what they were made of.

    Raises :class:`UnusableBoxesError` for other shapes and for what is no number,
    :class:`EmptyBoxError` for a box without an area.
    """
    boxes, labels = values.get(BOXES), values.get(LABELS)
    if boxes is None or labels is None:
        raise UnusableBoxesError(f"{BOXES}, {LABELS}: None")
    if not boxes.numel():
        boxes = boxes.reshape(0, _CORNERS)
    rows = boxes.shape[0] if boxes.ndim else 0
    if boxes.ndim != 2 or boxes.shape[1] != _CORNERS or labels.shape != (rows,):
        raise UnusableBoxesError(f"{BOXES} {_shape(boxes)}, {LABELS} {_shape(labels)}")
    if labels.is_floating_point() and bool(labels.numel()):
        raise UnusableBoxesError(f"{LABELS}: {labels.dtype}")
    corners = _corners(boxes.to(torch.float32), given[BOXES])
    if not bool(corners.isfinite().all()):
        raise UnusableBoxesError(f"{BOXES}: NaN, ∞")
    flat = (corners[:, 2:] <= corners[:, :2]).any(dim=1)
    if bool(flat.any()):
        raise EmptyBoxError(", ".join(f"{side:g}" for side in corners[flat][0].tolist())[:_SHOWN])
    found = {**values, BOXES: corners, LABELS: labels.to(torch.int64)}
    masks = values.get(MASKS)
    if masks is None:
        return found
    if masks.ndim == _MASK_AXES + 1 and masks.shape[1] == 1:
        masks = masks[:, 0]
    if masks.ndim != _MASK_AXES or len(masks) != rows:
        raise UnusableBoxesError(f"{BOXES} {_shape(boxes)}, {MASKS} {_shape(masks)}")
    return {**found, MASKS: masks > _HALF if masks.is_floating_point() else masks > 0}


def described_boxes(
    samples: Sequence[Mapping[str, Tensor]], classes: Sequence[str]
) -> tuple[FieldInfo, ...]:
    """Return the fields that the boxes of the first samples are; ``classes`` are the names that the
    user's class has, from 0 or, as torchvision counts, from 1.
    """
    labels = torch.cat([sample[LABELS] for sample in samples if LABELS in sample])
    lowest, highest = (int(labels.min()), int(labels.max())) if len(labels) else (0, 0)
    names = tuple(classes) or tuple(map(str, range(max(highest + 1, 2))))
    if lowest == 1 and highest == len(names):
        names = (BACKGROUND, *names)
    sizes = {tuple(sample[MASKS].shape[1:]) for sample in samples if MASKS in sample}
    if not sizes:
        return box_infos(names)
    size = tuple(side[0] if len(set(side)) == 1 else -1 for side in zip(*sizes, strict=True))
    return *box_infos(names), box_mask_info(size)


def _corners(boxes: Tensor, given: object) -> Tensor:
    """Return boxes as corners where torchvision's tensor says that they are something else."""
    from torchvision.ops import box_convert
    from torchvision.tv_tensors import BoundingBoxes

    if not isinstance(given, BoundingBoxes):
        return boxes
    return box_convert(boxes, str(cast("Any", given.format).value).lower(), "xyxy")


def _shape(value: Tensor) -> str:
    return " × ".join(map(str, value.shape)) or "()"
