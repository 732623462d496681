"""mAP of boxes is COCO's, however the pictures are divided into batches and processes."""

from collections.abc import Sequence

import numpy as np
import pytest
import torch
from torch import Tensor

from engine.train.average_precision import (
    THRESHOLDS,
    BoxTally,
    FoundBoxes,
    TrueBoxes,
    mask_overlaps,
)
from engine.train.metrics import merged_states

Box = tuple[float, float, float, float]
_ONE: Box = (0, 0, 10, 10)
_OTHER: Box = (50, 50, 70, 80)
_NOWHERE: Box = (200, 200, 210, 220)


def _found(*rows: tuple[Box, int, float]) -> FoundBoxes:
    boxes, labels, scores = zip(*rows, strict=True)
    return FoundBoxes(torch.tensor([boxes]), torch.tensor([labels]), torch.tensor([scores]))


def _truth(*rows: tuple[Box, int]) -> TrueBoxes:
    boxes, labels = zip(*rows, strict=True)
    return TrueBoxes(torch.tensor([boxes]), torch.tensor([labels]))


def _values(classes: int, *pictures: tuple[FoundBoxes, TrueBoxes]) -> dict[str, float]:
    tally = BoxTally(classes)
    for found, truth in pictures:
        tally.add(found, truth)
    return tally.values()


def test_that_a_miss_between_two_hits_lowers_the_precision_of_the_higher_recalls() -> None:
    truth = _truth((_ONE, 0), (_OTHER, 0))
    found = _found((_OTHER, 0, 0.7), (_NOWHERE, 0, 0.8), (_ONE, 0, 0.9))
    # Recalls 0.00 to 0.50 are reached with precision 1, 0.51 to 1.00 with two of three.
    assert _values(1, (found, truth))["map"] == pytest.approx((51 + 50 * 2 / 3) / 101)


def test_that_a_box_is_a_hit_up_to_the_threshold_that_it_overlaps() -> None:
    found = _found(((0, 0, 10, 6), 0, 0.9))  # 60 of 100
    values = _values(1, (found, _truth((_ONE, 0))))
    assert values["map"] == pytest.approx(0.3)  # 0.50, 0.55 and 0.60 of ten
    assert (values["map_50"], values["map_75"]) == (1.0, 0.0)


def test_that_a_true_box_counts_once_and_for_its_own_class() -> None:
    twice = _found((_ONE, 0, 0.9), (_ONE, 0, 0.8), (_OTHER, 0, 0.7))
    truth = _truth((_ONE, 0), (_OTHER, 1))
    tally = BoxTally(3)
    tally.add(twice, truth)
    first, second, third = tally.precisions()
    assert first.tolist() == pytest.approx([1.0] * 10)  # found before both misses
    assert second.tolist() == pytest.approx([0.0] * 10)  # there, not found
    assert third.isnan().all()  # not there: left out of the mean
    assert tally.values()["map"] == pytest.approx(0.5)


def test_that_rows_without_a_box_and_pictures_without_boxes_do_not_count_as_such() -> None:
    truth = TrueBoxes(torch.tensor([[_ONE, (0.0,) * 4]]), torch.tensor([[0, -100]]))
    found = _found((_ONE, 0, 0.9), ((0, 0, 0, 0), 0, 0.0))
    empty = TrueBoxes(torch.zeros(1, 0, 4), torch.zeros(1, 0, dtype=torch.int64))
    nothing = FoundBoxes(torch.zeros(1, 2, 4), torch.zeros(1, 2).long(), torch.zeros(1, 2))
    assert _values(1, (found, truth), (nothing, empty))["map"] == pytest.approx(1.0)
    # A box in a picture where there is none, as likely as the hit: precision one half.
    assert _values(1, (found, truth), (found, empty))["map"] == pytest.approx(0.5)
    assert _values(1, (nothing, empty)) == {}


def test_that_a_hundred_boxes_of_a_class_count_in_a_picture() -> None:
    misses = [(_NOWHERE, 0, 0.9 - number / 1000) for number in range(100)]
    assert _values(1, (_found(*misses, (_ONE, 0, 0.5)), _truth((_ONE, 0))))["map"] == 0.0
    late = _values(1, (_found(*misses[1:], (_ONE, 0, 0.5)), _truth((_ONE, 0))))["map"]
    assert late == pytest.approx(0.01)


def _random(pictures: int) -> tuple[FoundBoxes, TrueBoxes]:
    draw = torch.Generator().manual_seed(3)
    corners = 60 * torch.rand(pictures, 5, 2, generator=draw)
    sizes = 10 + 30 * torch.rand(pictures, 5, 2, generator=draw)
    boxes = torch.cat((corners, corners + sizes), dim=2)
    labels = torch.randint(-1, 3, (pictures, 5), generator=draw)
    labels[0] = -100
    near = boxes.repeat(1, 3, 1) + 4 * torch.randn(pictures, 15, 4, generator=draw)
    near[..., 2:] = torch.maximum(near[..., 2:], near[..., :2] + 1)
    kinds = labels.repeat(1, 3).clamp(min=0)
    kinds[torch.rand(pictures, 15, generator=draw) < 0.2] = 2
    scores = (torch.rand(pictures, 15, generator=draw) * 1000).round() / 1000
    return FoundBoxes(near, kinds, scores), TrueBoxes(boxes, labels)


def _rows(values: Sequence[Tensor], rows: list[int]) -> list[Tensor]:
    return [each[rows] for each in values]


@pytest.mark.parametrize("size", [1, 7, 40])
def test_that_batches_and_processes_change_no_bit(size: int) -> None:
    found, truth = _random(40)
    whole = BoxTally(3)
    whole.add(found, truth)
    parts = [BoxTally(3), BoxTally(3)]
    order = list(reversed(range(40)))
    for number, start in enumerate(range(0, 40, size)):
        rows = order[start : start + size]
        picked = _rows(found, list(rows)), _rows(truth, list(rows))
        parts[number % 2].add(FoundBoxes(*picked[0]), TrueBoxes(*picked[1]))
    joined = BoxTally(3)
    joined.load_state_dict(merged_states([part.state_dict() for part in parts]))
    assert joined.values() == whole.values()


def test_that_it_is_the_evaluation_of_coco_step_by_step() -> None:
    found, truth = _random(30)
    found = FoundBoxes(found.boxes, found.labels, _all_different(found.scores))
    tally = BoxTally(3)
    tally.add(found, truth)
    expected = [[_coco(found, truth, number, t) for t in THRESHOLDS] for number in range(3)]
    np.testing.assert_allclose(tally.precisions().numpy(), expected, atol=1e-9)


def _all_different(scores: Tensor) -> Tensor:
    return (scores.flatten().argsort().argsort() + 1).reshape(scores.shape) / scores.numel()


def _coco(found: FoundBoxes, truth: TrueBoxes, number: int, threshold: float) -> float:
    """Return the average precision of a class as the COCO evaluation does, in plain loops."""
    ranked: list[tuple[float, bool]] = []
    positives = 0
    for boxes, labels, scores, real, kinds in zip(*found, *truth, strict=True):
        free = [box.tolist() for box, kind in zip(real, kinds, strict=True) if kind == number]
        positives += len(free)
        rows = zip(boxes, labels, scores, strict=True)
        own = [(float(s), b.tolist()) for b, k, s in rows if k == number]
        for score, box in sorted(own, reverse=True):
            overlaps = [_iou(box, other) for other in free]
            is_hit = bool(overlaps) and max(overlaps) >= threshold
            if is_hit:
                free.pop(int(np.argmax(overlaps)))
            ranked.append((score, is_hit))
    hits = np.cumsum([is_hit for _, is_hit in sorted(ranked, reverse=True)])
    recall, precision = hits / positives, hits / np.arange(1, len(hits) + 1)
    best = [
        max((p for p, r in zip(precision, recall, strict=True) if r >= needed), default=0.0)
        for needed in np.linspace(0, 1, 101)
    ]
    return float(np.mean(best))


def _iou(one: list[float], other: list[float]) -> float:
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    shared = max(width, 0) * max(height, 0)
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (one, other)]
    return shared / (sum(areas) - shared)


def test_that_masks_are_hits_by_the_pixels_that_they_share():
    truth = torch.zeros(1, 2, 8, 8, dtype=torch.bool)
    truth[0, 0, :4, :4] = truth[0, 1, 4:, 4:] = True
    likely = torch.zeros(1, 2, 1, 8, 8)
    likely[0, 0, 0, 4:, 4:] = 0.9  # the second one, whole
    likely[0, 1, 0, :4, :2] = 0.6  # half of the first one
    likely[0, 1, 0, :4, 2:4] = 0.4  # not likely enough
    overlaps = mask_overlaps(likely, truth)
    assert overlaps.tolist() == [[[0.0, 1.0], [0.5, 0.0]]]
    one = torch.tensor([[[0.0, 0, 8, 8], [0, 0, 8, 8]]])
    found = FoundBoxes(one, torch.zeros(1, 2, dtype=torch.int64), torch.tensor([[0.3, 0.8]]))
    tally = BoxTally(1)
    tally.add(found, TrueBoxes(one, torch.zeros(1, 2, dtype=torch.int64)), overlaps)
    values = tally.values()
    assert values["map_50"] == 1.0
    # The likeliest is no hit from here on: precision 1/2 up to a recall of 1/2, 0 beyond.
    assert values["map_75"] == pytest.approx(0.5 * 51 / 101)
