"""Boxes that a model finds: how well they fit the true ones, and pictures with both to look at."""

from collections.abc import Sequence

import torch
from msgspec.structs import replace
from torch import Tensor

from engine.data.read.object_shapes import shape_bytes
from engine.diagnostics import DiagnosticError
from engine.query.request import Split
from engine.query.results.masks import shown_picture
from engine.query.results.request import (
    BoxSample,
    BoxSamples,
    ClassScore,
    FoundBox,
    Prediction,
    ResultReport,
    ScoreCurve,
    TrueBox,
)
from engine.query.results.samples import look_at_samples, some_samples
from engine.query.results.score import curve_of
from engine.query.trained import Trained
from engine.spec.defaults import MASK_PREFIX
from engine.train.average_precision import (
    BoxTally,
    FoundBoxes,
    TrueBoxes,
    likeliest_first,
    likeliest_order,
    matches,
)
from engine.train.box_comparison import BoxComparison
from engine.train.losses import Batch, Outputs
from engine.train.training import Training

_MOST_SIDE = 512  # pixels of a picture that is only looked at
_AT_ONCE = 8  # samples
_MOST_BOXES = 100  # of a picture that are shown: the likeliest
NO_SHAPE = 255
"""What stands for a pixel that is of no object."""

_LIKELY = 0.5  # of a pixel that is of an object
_HALF = 0.5  # of the united area, which makes a hit of a box that is looked at


class BoxResults:
    """What a model finds in the pictures of a part, counted as it comes."""

    def __init__(self, comparison: BoxComparison) -> None:
        self._comparison = comparison
        self._tally = BoxTally(len(comparison.classes))
        self._mask_tally = BoxTally(len(comparison.classes)) if comparison.masks else None
        self._counts: list[int] = []

    def add(self, outputs: Outputs, batch: Batch) -> None:
        """Count a batch. Raises :class:`DiagnosticError` V024 for a model that finds no boxes."""
        picked = self._comparison.pick(outputs, batch)
        if picked is None:
            raise DiagnosticError.of("V024")
        self._tally.add(*picked)
        overlaps = self._comparison.overlaps(outputs, batch)
        if self._mask_tally is not None and overlaps is not None:
            self._mask_tally.add(*picked, overlaps)
        self._counts += (picked[1].labels >= 0).sum(dim=1).tolist()

    def complete(self, report: ResultReport) -> ResultReport:
        """Return the report with what was counted."""
        curves: list[ScoreCurve] = []
        scores: list[ClassScore] = []
        averages = self._tally.precisions()
        for number, name in enumerate(self._comparison.classes):
            ranked = self._tally.ranked(number)
            positives = int(self._tally.positives[number])
            whole, half = float(averages[number].mean()), float(averages[number, 0])
            score = _class_score(name, ranked, positives)
            if positives:
                score = replace(score, average_precision=whole, average_precision_50=half)
                curves.append(_curve(name, ranked, positives, half))
            scores.append(score)
        metrics = self._tally.values()
        if self._mask_tally is not None:
            masks = self._mask_tally.values()
            metrics |= {f"{MASK_PREFIX}{name}": value for name, value in masks.items()}
        return replace(
            report,
            classes=self._comparison.classes,
            box_counts=tuple(self._counts),
            scores=tuple(scores),
            precision_recall=tuple(curves),
            metrics=metrics,
        )


def _class_score(name: str, ranked: tuple[Tensor, Tensor], positives: int) -> ClassScore:
    """Return precision, recall and F1 of a class at the score where F1 is the highest."""
    scores, is_hit = ranked
    hits = is_hit.double().cumsum(0)
    found = torch.arange(1, len(hits) + 1, dtype=torch.float64)
    f1 = 2 * hits / (found + positives)
    if not positives or not len(f1):
        return ClassScore(
            name=name,
            precision=None,
            recall=0.0 if positives else None,
            f1=0.0 if positives else None,
            support=positives,
        )
    best = int(f1.argmax())
    return ClassScore(
        name=name,
        precision=float(hits[best] / found[best]),
        recall=float(hits[best] / positives),
        f1=float(f1[best]),
        support=positives,
        score=float(scores[best]),
    )


def _curve(name: str, ranked: tuple[Tensor, Tensor], positives: int, area: float) -> ScoreCurve:
    """Return precision over recall as the score falls, where half of the united area is a hit."""
    hits = ranked[1].double().cumsum(0)
    precision = hits / torch.arange(1, len(hits) + 1, dtype=torch.float64)
    first = precision[:1] if len(precision) else torch.zeros(1, dtype=torch.float64)
    start = torch.zeros(1, dtype=torch.float64)
    recall = torch.cat((start, hits / positives))
    return curve_of(name, recall, torch.cat((first, precision)), area)


def box_samples(trained: Trained, part: Split, numbers: Sequence[int]) -> BoxSamples:
    """Return samples of a part, by their numbers in it, with true and found boxes.

    Raises :class:`DiagnosticError` V024 for a model that finds no boxes.
    """
    samples = look_at_samples(trained, part, numbers, _AT_ONCE, _some)
    return BoxSamples(step=trained.info.step, samples=samples)


def box_prediction(trained: Trained, outputs: Outputs, size: tuple[int, int]) -> Prediction:
    """Return the boxes that are found in a picture of so many pixels (height, width).

    Raises :class:`DiagnosticError` V024 for a model that finds none.
    """
    comparison = trained.training.comparison.boxes
    found = None if comparison is None else comparison.found(outputs)
    if comparison is None or found is None:
        raise DiagnosticError.of("V024")
    shapes = found_shapes(comparison, outputs, found, 0, _step(size))
    found = likeliest(found)
    hits = torch.full((1, found.scores.shape[1]), -1)
    return Prediction(
        step=trained.info.step,
        values=(),
        boxes=_found_boxes(found, hits, 0, size),
        shapes=shapes.numpy().tobytes(),
        shape_size=(shapes.shape[0], shapes.shape[1]),
    )


def _some(training: Training, part: Split, numbers: list[int]) -> list[BoxSample]:
    comparison = training.comparison.boxes
    looked = some_samples(training, part, numbers)
    picked = None if comparison is None else comparison.pick(looked.outputs, looked.batch)
    if comparison is None or picked is None:
        raise DiagnosticError.of("V024")
    found = likeliest(picked[0])
    truth = TrueBoxes(*(values.cpu() for values in picked[1]))
    hits = _numbered(matches(found, truth, (_HALF,))[..., 0], truth)
    samples: list[BoxSample] = []
    for row, (place, number) in enumerate(zip(looked.places, numbers, strict=True)):
        picture = shown_picture(training, looked.raw, row)
        size = (int(picture.shape[1]), int(picture.shape[2]))
        step = _step(size)
        shapes = found_shapes(comparison, looked.outputs, picked[0], row, step)
        shown = picture[:, ::step, ::step].contiguous()
        samples.append(
            BoxSample(
                index=place,
                number=number,
                picture_size=(shown.shape[0], shown.shape[1], shown.shape[2]),
                pixels=shown.numpy().tobytes(),
                truth=_true_boxes(truth, row, size),
                found=_found_boxes(found, hits, row, size),
                true_shapes=_true_shapes(comparison, looked.batch, picked[1], row, step),
                found_shapes=shapes.numpy().tobytes(),
            )
        )
    return samples


def _step(size: tuple[int, int]) -> int:
    """Return each which pixel of a picture is shown."""
    return -(-max(size) // _MOST_SIDE)


def found_shapes(
    comparison: BoxComparison, outputs: Outputs, found: FoundBoxes, row: int, step: int
) -> Tensor:
    """Return which of the likeliest boxes of a picture each pixel is of (uint8, (height, width)),
    the likeliest above all others; without any pixel where no masks are found.
    """
    masks = comparison.found_masks(outputs)
    if masks is None:
        return torch.empty(0, 0, dtype=torch.uint8)
    likely = masks[row, :, 0, ::step, ::step].cpu() > _LIKELY
    order = likeliest_order(FoundBoxes(*(values.cpu() for values in found)))[row, :_MOST_BOXES]
    is_found = found.scores[row].cpu() > 0
    shapes = torch.full(likely.shape[1:], NO_SHAPE, dtype=torch.uint8)
    for number, at in reversed(list(enumerate(order.tolist()))):
        if is_found[at]:
            shapes[likely[at]] = number
    return shapes


def _true_shapes(
    comparison: BoxComparison, batch: Batch, truth: TrueBoxes, row: int, step: int
) -> bytes:
    """Return which true box of a picture each pixel is of; nothing without masks."""
    if not comparison.masks or comparison.masks not in batch:
        return b""
    is_there = truth.labels[row].cpu() >= 0
    masks = batch[comparison.masks][row].cpu()[is_there, ::step, ::step]
    return shape_bytes(masks, masks.shape[-2], masks.shape[-1])


def _numbered(hits: Tensor, truth: TrueBoxes) -> Tensor:
    """Return the rows that were hit as numbers of true boxes, without the rows that hold none."""
    numbers = (truth.labels >= 0).cumsum(dim=1) - 1
    if not numbers.shape[1]:
        return hits
    return torch.where(hits >= 0, numbers.gather(1, hits.clamp(min=0)), -1)


def likeliest(found: FoundBoxes) -> FoundBoxes:
    """Return the likeliest boxes of each picture, in the order of their scores."""
    found = likeliest_first(FoundBoxes(*(values.cpu() for values in found)))
    return FoundBoxes(*(values[:, :_MOST_BOXES] for values in found))


def _true_boxes(truth: TrueBoxes, row: int, size: tuple[int, int]) -> tuple[TrueBox, ...]:
    rows = zip(_shares(truth.boxes[row], size), truth.labels[row].tolist(), strict=True)
    return tuple(TrueBox(corners=corners, label=label) for corners, label in rows if label >= 0)


def _found_boxes(
    found: FoundBoxes, hits: Tensor, row: int, size: tuple[int, int]
) -> tuple[FoundBox, ...]:
    rows = zip(
        _shares(found.boxes[row], size),
        found.labels[row].tolist(),
        found.scores[row].tolist(),
        hits[row].tolist(),
        strict=True,
    )
    return tuple(
        FoundBox(corners=corners, label=label, score=score, hit=hit)
        for corners, label, score, hit in rows
        if score > 0
    )


def _shares(boxes: Tensor, size: tuple[int, int]) -> list[tuple[float, float, float, float]]:
    """Return boxes in pixels as shares of the width and height of their picture."""
    height, width = size
    scale = torch.tensor([width, height, width, height], dtype=torch.float64)
    return [(left, top, right, bottom) for left, top, right, bottom in (boxes / scale).tolist()]
