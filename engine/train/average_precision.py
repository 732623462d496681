"""Average precision of boxes that a model finds, as the COCO evaluation has it (Lin et al.:
Microsoft COCO, 2014): matched by the overlap with the true boxes of a picture, counted over all
pictures of a part.
"""

from collections.abc import Sequence
from typing import NamedTuple, cast

import torch
from torch import Tensor

THRESHOLDS = tuple((50 + 5 * step) / 100 for step in range(10))
"""The overlaps (IoU) from which a found box is a hit; the mean over them is the mAP."""
_RECALLS = 101  # points of the curve of precision over recall
_MOST = 100  # boxes of a picture and class that count: the likeliest
_AT_ONCE = 32  # pictures
_LIKELY = 0.5  # of a pixel that is of an object
_BITS = tuple(1 << step for step in range(len(THRESHOLDS)))


class FoundBoxes(NamedTuple):
    """What is found in some pictures: ``boxes`` (pictures, rows, 4), left, top, right and bottom,
    ``labels`` and ``scores`` (pictures, rows). Rows of score 0 are empty.
    """

    boxes: Tensor
    labels: Tensor
    scores: Tensor


class TrueBoxes(NamedTuple):
    """What is in some pictures: ``boxes`` (pictures, rows, 4) and ``labels`` (pictures, rows),
    below 0 where there is no box.
    """

    boxes: Tensor
    labels: Tensor


class BoxTally:
    """Hits and misses of all boxes found in the pictures of a part, ten bytes a box; ``positives``
    is the number of true boxes of each class.

    What comes out depends on the pictures alone, not on their order: of boxes that are equally
    likely the misses count first.
    """

    def __init__(self, classes: int) -> None:
        self.classes = classes
        self.positives = torch.zeros(classes, dtype=torch.int64)
        self._scores: list[Tensor] = []
        self._labels: list[Tensor] = []
        self._hits: list[Tensor] = []

    def add(self, found: FoundBoxes, truth: TrueBoxes, overlaps: Tensor | None = None) -> None:
        """Count some pictures; ``overlaps`` (pictures, rows, other rows) stand for those of the
        boxes, where it is something else that overlaps.
        """
        found = FoundBoxes(*(values.detach().cpu() for values in found))
        truth = TrueBoxes(*(values.cpu() for values in truth))
        known = truth.labels[(truth.labels >= 0) & (truth.labels < self.classes)]
        self.positives += known.bincount(minlength=self.classes)
        for start in range(0, len(found.scores), _AT_ONCE):
            rows = slice(start, start + _AT_ONCE)
            given = FoundBoxes(*(values[rows] for values in found))
            part, near = likeliest_first(given), None
            if overlaps is not None:
                order = likeliest_order(given)[..., None]
                near = overlaps[rows].gather(1, order.expand_as(overlaps[rows]))
            true = TrueBoxes(*(values[rows] for values in truth))
            hits = matches(part, true, overlaps=near) >= 0
            counts = _counted(part) & (part.labels >= 0) & (part.labels < self.classes)
            self._scores.append(part.scores[counts].float())
            self._labels.append(part.labels[counts].to(torch.int32))
            self._hits.append((hits[counts] * torch.tensor(_BITS)).sum(1).to(torch.int16))

    def precisions(self) -> Tensor:
        """Return the average precision (float64) of each class (rows) at each threshold; NaN for a
        class of which there is no box.
        """
        result = torch.full((self.classes, len(THRESHOLDS)), float("nan"), dtype=torch.float64)
        scores, labels, packed = self._joined()
        hits = (packed[:, None].to(torch.int64) & torch.tensor(_BITS)) > 0
        for number, positives in enumerate(self.positives.tolist()):
            if positives:
                rows = labels == number
                result[number] = _average_precisions(scores[rows], hits[rows], positives)
        return result

    def ranked(self, number: int, threshold: int = 0) -> tuple[Tensor, Tensor]:
        """Return the scores of what was found of a class, the highest first, and which of it are
        hits at one of :data:`THRESHOLDS`, by its number there.
        """
        scores, labels, packed = self._joined()
        rows = labels == number
        is_hit = (packed[rows].to(torch.int64) & _BITS[threshold]) > 0
        order = _ranking(scores[rows], is_hit)
        return scores[rows][order], is_hit[order]

    def values(self) -> dict[str, float]:
        """Return mAP (``map``) and those of single thresholds; empty where there is no true box."""
        precisions = self.precisions()
        if precisions.isnan().all():
            return {}
        by_threshold = precisions.nanmean(dim=0)
        return {
            "map": float(by_threshold.mean()),
            "map_50": float(by_threshold[0]),
            "map_75": float(by_threshold[5]),
        }

    def reset(self) -> None:
        """Forget all pictures."""
        self.positives.zero_()
        self._scores, self._labels, self._hits = [], [], []

    def state_dict(self) -> dict[str, object]:
        """Return what was counted; those of several ranks add up, lists one after the other."""
        scores, labels, hits = self._joined()
        return {
            "positives": self.positives.clone(),
            "scores": [scores],
            "labels": [labels],
            "hits": [hits],
        }

    def load_state_dict(self, state: dict[str, object]) -> None:
        """Go on from what was counted. Raises :class:`ValueError` for other classes."""
        positives = cast("Tensor", state["positives"]).cpu()
        if positives.shape != self.positives.shape:
            raise ValueError(f"{len(positives)} classes in place of {self.classes}")
        self.positives = positives.clone()
        lists = (cast("list[Tensor]", state[name]) for name in ("scores", "labels", "hits"))
        self._scores, self._labels, self._hits = ([each.cpu() for each in part] for part in lists)

    def _joined(self) -> tuple[Tensor, Tensor, Tensor]:
        empty = (torch.float32, torch.int32, torch.int16)
        parts = (self._scores, self._labels, self._hits)
        joined = [
            torch.cat([torch.empty(0, dtype=dtype), *part])
            for part, dtype in zip(parts, empty, strict=True)
        ]
        self._scores, self._labels, self._hits = ([each] for each in joined)
        return joined[0], joined[1], joined[2]


def likeliest_first(found: FoundBoxes) -> FoundBoxes:
    """Return what was found in each picture in the order of the scores."""
    order = likeliest_order(found)
    boxes = found.boxes.gather(1, order[..., None].expand(-1, -1, 4))
    return FoundBoxes(boxes, found.labels.gather(1, order), found.scores.gather(1, order))


def likeliest_order(found: FoundBoxes) -> Tensor:
    """Return the rows (int64) of each picture in the order of the scores, the highest first."""
    return found.scores.argsort(dim=1, descending=True, stable=True)


def mask_overlaps(found: Tensor, truth: Tensor) -> Tensor:
    """Return the IoU (float64) of all pairs of masks of each picture, (pictures, rows, other rows):
    of ``found``, how likely each pixel is of an object (pictures, rows, 1, height, width), and
    ``truth``, which are (pictures, other rows, height, width).
    """
    result: list[Tensor] = []
    for one, other in zip(found, truth, strict=True):
        first, second = (one > _LIKELY).flatten(1).float(), other.flatten(1).float()
        shared = (first @ second.T).double()
        areas = first.sum(dim=1).double()[:, None] + second.sum(dim=1).double()
        result.append((shared / (areas - shared).clamp(min=1)).cpu())
    return torch.stack(result)


def matches(
    found: FoundBoxes,
    truth: TrueBoxes,
    thresholds: Sequence[float] = THRESHOLDS,
    overlaps: Tensor | None = None,
) -> Tensor:
    """Return which true box each one hits (its row, int64, (pictures, rows, thresholds)), below 0
    for none: of its class that which it overlaps most of those that no likelier box has taken.
    ``found`` is in the order of the scores; ``overlaps`` stand for those of the boxes.
    """
    pictures, rows = found.scores.shape
    hits = torch.full((pictures, rows, len(thresholds)), -1)
    if not truth.labels.shape[1] or not rows:
        return hits
    if overlaps is None:
        overlaps = _overlaps(found.boxes.double(), truth.boxes.double())
    overlaps[(found.labels[:, :, None] != truth.labels[:, None]) | (truth.labels < 0)[:, None]] = -1
    overlaps[found.scores <= 0] = -1
    needed = torch.tensor(thresholds, dtype=torch.float64)[None, :, None]
    is_free = torch.ones(pictures, len(thresholds), truth.labels.shape[1], dtype=torch.bool)
    near = (overlaps >= min(thresholds)).any(dim=2).any(dim=0)
    for row in near.nonzero().flatten().tolist():
        overlap = overlaps[:, row, None]
        best = torch.where(is_free & (overlap >= needed), overlap, -1.0).max(dim=2)
        is_hit = best.values >= 0
        hits[:, row] = torch.where(is_hit, best.indices, -1)
        taken = best.indices[..., None]
        is_free.scatter_(2, taken, is_free.gather(2, taken) & ~is_hit[..., None])
    return hits


def _overlaps(one: Tensor, other: Tensor) -> Tensor:
    """Return the IoU of all pairs of boxes of each picture, (pictures, rows, other rows)."""
    low = torch.maximum(one[:, :, None, :2], other[:, None, :, :2])
    high = torch.minimum(one[:, :, None, 2:], other[:, None, :, 2:])
    shared = (high - low).clamp(min=0).prod(dim=3)
    areas = [(boxes[..., 2:] - boxes[..., :2]).clamp(min=0).prod(dim=2) for boxes in (one, other)]
    unions = areas[0][:, :, None] + areas[1][:, None] - shared
    return shared / unions.clamp(min=1e-12)


def _counted(found: FoundBoxes) -> Tensor:
    """Return which rows count: with a score, and among the likeliest of picture and class."""
    is_found = found.scores > 0
    is_alike = found.labels[:, :, None] == found.labels[:, None]
    before = (is_alike & is_found[:, None]).tril(-1).sum(dim=2)
    return is_found & (before < _MOST)


def _ranking(scores: Tensor, is_hit: Tensor) -> Tensor:
    """Return the order of scores, the highest first, of equal ones the misses."""
    misses_first = is_hit.to(torch.int8).argsort(stable=True)
    return misses_first[scores[misses_first].argsort(descending=True, stable=True)]


def _average_precisions(scores: Tensor, hits: Tensor, positives: int) -> Tensor:
    """Return the mean precision of one class at each threshold over recalls from 0 to 1: at each
    the best that is reached at this recall or a higher one.
    """
    means: list[Tensor] = []
    for is_hit in hits.unbind(1):
        found = is_hit[_ranking(scores, is_hit)].double().cumsum(0)
        precision = found / torch.arange(1, len(found) + 1, dtype=torch.float64)
        best = precision.flip(0).cummax(0).values.flip(0) if len(found) else precision
        grid = torch.linspace(0, 1, _RECALLS, dtype=torch.float64)
        at = torch.searchsorted(found / positives, grid)
        padded = torch.cat((best, torch.zeros(1, dtype=torch.float64)))
        means.append(padded[at].mean())
    return torch.stack(means)
