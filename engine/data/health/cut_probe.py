"""What a chain of transforms leaves of boxes and masks, whatever size it gives them: cells of the
boxes, and numbers in place of the pixels of a mask, go through it and are looked for afterwards.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from engine.data.transform.chain import Chain
from engine.data.transform.step import Sample

_CELLS = 4  # along each side of a box


@dataclass(frozen=True, kw_only=True)
class BoxFields:
    """The fields of a sample that boxes are made of: their names, empty for none."""

    boxes: str
    labels: str = ""


@dataclass(frozen=True)
class KeptBoxes:
    """How many ``true`` boxes a sample has, how many of them are ``lost``, and of how many others
    less than half is ``cut`` off to.
    """

    true: int
    lost: int
    cut: int


def kept_boxes(chain: Chain, fields: BoxFields, sample: Sample, index: int) -> KeptBoxes:
    """Return what is left of the boxes of a sample; without a field of their classes, and under own
    code, which may look at these, only how many are lost.

    Raises ``DiagnosticError`` as :meth:`Chain.apply` does.
    """
    boxes = sample[fields.boxes]
    true = len(boxes)
    if not true or not fields.labels or chain.custom_steps:
        return KeptBoxes(true, true - len(chain.apply(sample, 0, 0, index)[fields.boxes]), 0)
    probed = {
        **sample,
        fields.boxes: torch.cat([boxes, _cells(boxes)]),
        fields.labels: torch.arange(true * (1 + _CELLS * _CELLS)),
    }
    after = chain.apply(probed, 0, 0, index)
    kept = after[fields.labels]
    areas = torch.zeros(true * (1 + _CELLS * _CELLS), dtype=torch.float64)
    corners = after[fields.boxes].double()
    areas[kept] = (corners[:, 2] - corners[:, 0]) * (corners[:, 3] - corners[:, 1])
    cells = areas[true:].reshape(true, -1)
    whole = cells.amax(dim=1)  # that of a cell of which nothing is cut off
    shares = cells.sum(dim=1) / (whole * cells.shape[1]).clamp(min=1e-9)
    is_left = torch.zeros(true, dtype=torch.bool)
    is_left[kept[kept < true]] = True
    is_cut = is_left & (whole > 0) & (shares < 0.5)
    return KeptBoxes(true, true - int(is_left.sum()), int(is_cut.sum()))


def kept_share(chain: Chain, name: str, sample: Sample, index: int) -> float:
    """Return which share of the pixels of a mask is left.

    Raises ``DiagnosticError`` as :meth:`Chain.apply` does.
    """
    mask = sample[name]
    height, width = (int(side) for side in mask.shape[-2:])
    numbers = torch.arange(1, height * width + 1).reshape(height, width)  # 0: what is filled up
    probed = numbers.to(mask.dtype).expand(mask.shape).clone()
    after = chain.apply({**sample, name: probed}, 0, 0, index)[name]
    found = after.reshape(-1, *after.shape[-2:])[0].to(torch.int64)
    is_known = (found > 0) & (found <= height * width)
    seen = len(found[is_known].unique())  # all of them where the mask grows
    places = torch.stack([(found - 1) // width, (found - 1) % width]).double()
    across = _mean_step(places[:, :, 1:] - places[:, :, :-1], is_known[:, 1:] & is_known[:, :-1])
    down = _mean_step(places[:, 1:] - places[:, :-1], is_known[1:] & is_known[:-1])
    area = abs(float(across[0] * down[1] - across[1] * down[0]))  # that a pixel stands for
    return min(max(seen, float(is_known.sum()) * area) / (height * width), 1.0)


def _mean_step(steps: Tensor, is_known: Tensor) -> Tensor:
    """Return how far apart neighbours were, down and across, in the mean of the known ones."""
    return steps[:, is_known].mean(dim=1).nan_to_num()


def _cells(boxes: Tensor) -> Tensor:
    """Return the cells of each box, one box after the other."""
    at = torch.arange(_CELLS, dtype=boxes.dtype) / _CELLS
    top, left = torch.meshgrid(at, at, indexing="ij")
    shares = torch.stack([left, top, left + 1 / _CELLS, top + 1 / _CELLS], dim=-1).reshape(-1, 4)
    sizes = (boxes[:, 2:] - boxes[:, :2]).repeat(1, 2)
    starts = boxes[:, :2].repeat(1, 2)
    return (starts[:, None] + shares[None] * sizes[:, None]).reshape(-1, 4)
