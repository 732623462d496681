"""Sequences that a model predicts, a token for each position: how often they are right, and some of
them as text.
"""

import math
from collections.abc import Sequence

import torch
from msgspec.structs import replace
from torch import Tensor
from torch.nn import functional

from engine.diagnostics import DiagnosticError
from engine.query.request import Split
from engine.query.results.request import ResultReport, SequenceSample, SequenceSamples
from engine.query.results.samples import look_at_samples, some_samples, without_ignored
from engine.query.trained import Trained
from engine.spec.data import FieldInfo
from engine.spec.vocabulary import TokenUnit, joined
from engine.train.metrics import Comparison
from engine.train.training import Training

_AT_ONCE = 32  # samples
_MOST_TOKENS = 2000  # of a sample that is only looked at


class SequenceTally:
    """Counts of right tokens, by sample and by position, and the likelihood of the true ones."""

    def __init__(self, ignored: int | None) -> None:
        self._ignored = ignored
        self._hits = torch.zeros(0, dtype=torch.int64)
        self._counts = torch.zeros(0, dtype=torch.int64)
        self._cost = 0.0
        self._shares: list[float] = []

    @property
    def is_used(self) -> bool:
        """Whether a batch was counted."""
        return bool(self._shares)

    def add(self, predicted: Tensor, target: Tensor) -> None:
        """Count a batch: scores (samples, classes, T) beside classes (samples, T)."""
        target = without_ignored(target.cpu().long(), self._ignored)
        scores = predicted.cpu().double()
        is_there = target >= 0
        is_hit = (scores.argmax(dim=1) == target) & is_there
        cost = functional.cross_entropy(scores, target, ignore_index=-1, reduction="sum")
        self._cost += float(cost)
        self._hits = _sum(self._hits, is_hit.sum(dim=0))
        self._counts = _sum(self._counts, is_there.sum(dim=0))
        shares = is_hit.sum(dim=1) / is_there.sum(dim=1)  # not a number without any token
        self._shares += shares.tolist()

    def complete(self, report: ResultReport) -> ResultReport:
        """Return the report with what was counted."""
        total = int(self._counts.sum())
        metrics: dict[str, float] = {}
        if total:
            metrics["accuracy"] = int(self._hits.sum()) / total
            metrics["perplexity"] = math.exp(min(self._cost / total, 700.0))
        positions = (self._hits / self._counts).tolist()
        return replace(
            report, hits=tuple(self._shares), positions=tuple(positions), metrics=metrics
        )


def is_sequence(comparison: Comparison, predicted: Tensor, target: Tensor) -> bool:
    """Return whether scores of classes stand beside a row of classes for each sample."""
    is_row = target.ndim == 2 and predicted.ndim == 3 and predicted.shape[2:] == target.shape[1:]
    return comparison.task == "classification" and not comparison.is_mask and is_row


def sequence_samples(trained: Trained, part: Split, numbers: Sequence[int]) -> SequenceSamples:
    """Return samples of a part, by their numbers in it, with true and predicted tokens as text.

    Raises :class:`DiagnosticError` V001 for a model that predicts no sequences.
    """
    samples = look_at_samples(trained, part, numbers, _AT_ONCE, _some)
    return SequenceSamples(step=trained.info.step, samples=samples)


def _some(training: Training, part: Split, numbers: list[int]) -> list[SequenceSample]:
    found = some_samples(training, part, numbers)
    pair = training.comparison.pick(found.outputs, found.batch)
    target = training.data.info.field(training.comparison.field)
    if pair is None or target is None or not is_sequence(training.comparison, *pair):
        raise DiagnosticError.of("V001")
    truths = without_ignored(pair[1].cpu().long(), training.comparison.ignored)
    chosen = pair[0].argmax(dim=1).cpu()
    return [
        SequenceSample(
            index=place,
            number=number,
            text=_input(training, place),
            truth=_text(target, truths[row], truths[row]),
            prediction=_text(target, chosen[row], truths[row]),
        )
        for row, (place, number) in enumerate(zip(found.places, numbers, strict=True))
    ]


def _input(training: Training, place: int) -> str:
    """Return the texts that the model reads, as they were written."""
    source = training.data.source
    texts = [source.text(name, place) for name in training.input_fields]
    return " · ".join(text for text in texts if text)


def _text(field: FieldInfo, numbers: Tensor, truth: Tensor) -> str:
    """Return the tokens of the positions that are compared, as text."""
    kept = numbers[truth >= 0][:_MOST_TOKENS].tolist()
    names = field.classes
    tokens = [names[at] if 0 <= at < len(names) else str(at) for at in kept]
    unit: TokenUnit = field.unit if field.words else "words"
    return joined(tokens, unit)


def _sum(first: Tensor, second: Tensor) -> Tensor:
    """Return the sum of two rows of counts, the shorter one filled up."""
    length = max(len(first), len(second))
    rows = [functional.pad(row, (0, length - len(row))) for row in (first, second)]
    return rows[0] + rows[1]
