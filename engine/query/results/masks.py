"""Masks that a model predicts: how well they cover the true ones, and some of them to look at."""

from collections.abc import Iterable, Sequence

import torch
from msgspec.structs import replace
from torch import Tensor

from engine.data.read.fit import as_bytes
from engine.diagnostics import DiagnosticError
from engine.query.request import Split
from engine.query.results.mask_sample import MaskSample, MaskSamples
from engine.query.results.request import ResultReport
from engine.query.results.samples import look_at_samples, some_samples, without_ignored
from engine.query.results.score import ClassCounts, class_scores, confusion, overlaps
from engine.query.trained import Trained
from engine.train.losses import Batch
from engine.train.training import Training

_MOST_SIDE = 512  # pixels of a picture that is only looked at
_AT_ONCE = 8  # samples


class MaskTally:
    """Counts of true and predicted classes of pixels, of a part and of each of its samples."""

    def __init__(self, ignored: int | None) -> None:
        self._ignored = ignored
        self._matrix = torch.zeros(0, 0, dtype=torch.int64)
        self._ious: list[float] = []

    def add(self, predicted: Tensor, target: Tensor) -> None:
        """Count a batch: scores (samples, classes, H, W) beside classes (samples, H, W)."""
        classes = predicted.shape[1]
        if not len(self._matrix):
            self._matrix = torch.zeros(classes, classes, dtype=torch.int64)
        chosen = predicted.argmax(dim=1).cpu()
        kept = without_ignored(target.cpu(), self._ignored)
        for one, other in zip(kept, chosen, strict=True):
            matrix = confusion(one.flatten(), other.flatten(), classes)
            self._matrix += matrix
            mean = _mean(overlaps(ClassCounts.of(matrix)))
            self._ious.append(float("nan") if mean is None else mean)

    @property
    def ious(self) -> list[float]:
        """The mean IoU of each sample, NaN for one without a pixel that is compared."""
        return self._ious

    def complete(self, report: ResultReport, names: tuple[str, ...]) -> ResultReport:
        """Return the report with what was counted; ``names`` are the classes.

        Raises :class:`DiagnosticError` V001 for a model that knows fewer classes.
        """
        matrix = self._matrix
        if len(matrix) < len(names):
            raise DiagnosticError.of("V001")
        names += tuple(str(index) for index in range(len(names), len(matrix)))
        scores = class_scores(ClassCounts.of(matrix), names)
        total = int(matrix.sum())
        metrics = {"accuracy": int(matrix.diagonal().sum()) / total} if total else {}
        means = {
            "iou": _mean(score.iou for score in scores),
            "dice": _mean(score.f1 for score in scores),
        }
        metrics |= {name: mean for name, mean in means.items() if mean is not None}
        return replace(
            report,
            classes=names,
            ious=tuple(self._ious),
            matrix=tuple(tuple(row) for row in matrix.tolist()),
            scores=scores,
            metrics=metrics,
        )


def mask_samples(trained: Trained, part: Split, numbers: Sequence[int]) -> MaskSamples:
    """Return samples of a part, by their numbers in it, with true and predicted masks.

    Raises :class:`DiagnosticError` V001 for a model that predicts no masks.
    """
    samples = look_at_samples(trained, part, numbers, _AT_ONCE, _some)
    return MaskSamples(step=trained.info.step, samples=samples)


def _some(training: Training, part: Split, numbers: list[int]) -> list[MaskSample]:
    found = some_samples(training, part, numbers)
    pair = training.comparison.pick(found.outputs, found.batch)
    if pair is None or not training.comparison.is_mask:
        raise DiagnosticError.of("V001")
    chosen = pair[0].argmax(dim=1).cpu()
    truth = without_ignored(pair[1].cpu(), training.comparison.ignored)
    return [
        _sample(
            place,
            number,
            shown_picture(training, found.raw, row),
            truth[row],
            without_border(chosen[row], truth[row]),
        )
        for row, (place, number) in enumerate(zip(found.places, numbers, strict=True))
    ]


def _sample(index: int, number: int, picture: Tensor, truth: Tensor, chosen: Tensor) -> MaskSample:
    step = -(-max(truth.shape) // _MOST_SIDE)
    picture = picture[:, ::step, ::step]
    truth, chosen = truth[::step, ::step], chosen[::step, ::step]
    return MaskSample(
        index=index,
        number=number,
        size=(int(truth.shape[0]), int(truth.shape[1])),
        picture_size=(picture.shape[0], picture.shape[1], picture.shape[2]),
        pixels=picture.contiguous().numpy().tobytes(),
        truth=class_bytes(truth),
        prediction=class_bytes(chosen),
    )


def without_border(chosen: Tensor, truth: Tensor) -> Tensor:
    """Return predicted classes (H, W) with none (-1) where ``truth`` has none in whole rows and
    columns at its edges: around a picture that was padded to the size of others.
    """
    kept = truth >= 0
    rows, columns = kept.any(1).nonzero().flatten(), kept.any(0).nonzero().flatten()
    if not len(rows):
        return chosen
    inside = torch.zeros_like(kept)
    inside[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1] = True
    return torch.where(inside, chosen, -1)


def class_bytes(mask: Tensor) -> bytes:
    """Return the class of each pixel (H, W) as int16, row by row."""
    return mask.to(torch.int16).contiguous().numpy().tobytes()


def shown_picture(training: Training, raw: Batch, row: int) -> Tensor:
    """Return the picture of a sample as uint8 of one or three channels; black without one."""
    for info in training.data.info.fields:
        if info.name in training.input_fields and info.kind == "image":
            values = raw[info.name][row]
            values = values if len(values) in (1, 3) else values[:1]
            if values.dtype != torch.uint8 and (values.min() < 0 or values.max() > 1):
                spread = values - values.min()
                values = spread / spread.max().clamp(min=1e-12)
            return as_bytes(values)
    return torch.zeros(1, 1, 1, dtype=torch.uint8)


def _mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that there are; None without any."""
    found = [value for value in values if value is not None]
    return sum(found) / len(found) if found else None
