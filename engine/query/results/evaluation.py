"""Evaluation of a checkpoint on a split of the data, sample by sample."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from msgspec.structs import replace
from torch import Tensor

from engine.data.source.source import Part
from engine.data.time_slice import time_slice
from engine.diagnostics import DiagnosticError
from engine.query.results.boxes import BoxResults
from engine.query.results.masks import MaskTally
from engine.query.results.output_name import named_fields, output_names
from engine.query.results.request import ResultReport
from engine.query.results.sequences import SequenceTally
from engine.query.results.tally import ClassTally, LabelTally, NumberTally
from engine.query.results.view_gain import ViewGain
from engine.query.trained import Trained
from engine.train.evaluation_draws import EvaluationDraws
from engine.train.losses import Batch, Outputs
from engine.train.running_text import is_sequence
from engine.train.training import Training
from engine.train.views import Viewed, over_views, viewed_batches

_BINARY = ("0", "1")


class SplitEvaluation:
    """Goes through a part a little at a time, so that whoever waits can see how far it is and leave
    it. Raises :class:`DiagnosticError`: K014 for an empty part, V001 (of boxes V024) for a
    model whose output cannot be compared with the data.
    """

    def __init__(self, trained: Trained, part: Part) -> None:
        self._trained = trained
        self._part: Part = part
        training = trained.training
        self.total = training.data.samples(part)
        self.done = 0
        if not self.total:
            raise DiagnosticError.of("K014", split=part)
        self._batches = viewed_batches(training, part)
        self._gain = ViewGain(training)
        self._draws, self._draws_alone = (EvaluationDraws(training, part) for _ in range(2))
        self._losses: list[float] = []
        boxes = training.comparison.boxes
        self._boxes = None if boxes is None else BoxResults(boxes)
        self._masks = MaskTally(training.comparison.ignored)
        self._sequences = SequenceTally(training.comparison.ignored)
        self._numbers = NumberTally(self.total)
        info = training.data.info.part(part)
        counts = info.class_counts if info else ()
        self._labels = LabelTally(self.total, training.comparison.labels)
        self._classes = ClassTally(self.total, class_names(training), counts)

    def advance(self, seconds: float) -> bool:
        """Go on for about so long, one batch at least; return whether all samples were seen."""
        with self._trained.in_use() as training:
            for viewed in time_slice(self._batches, seconds):
                self._look_at(training, viewed)
        return self.done >= self.total

    def report(self) -> ResultReport:
        """Return what was found, when all samples were seen."""
        training = self._trained.training
        indices = training.data.indices[self._part].tolist()
        time_kind, times = training.data.source.predicted_times(indices) or ("", [])
        report = ResultReport(
            checkpoint=self._trained.info.file,
            split=self._part,
            step=self._trained.info.step,
            task="regression" if training.comparison.labels else training.comparison.task,
            fields=named_fields(training.data),
            indices=tuple(indices),
            times=tuple(times),
            time_kind=time_kind,
            losses=tuple(self._losses),
            points=_points(training, self._part),
            notices=(*training.data.problems, *training.data.doubts, *self._gain.notices()),
        )
        if self._boxes is not None:
            return self._boxes.complete(report)
        if training.comparison.is_mask:
            return self._masks.complete(report, class_names(training))
        if self._sequences.is_used:
            return self._sequences.complete(report)
        if training.comparison.labels:
            return self._labels.complete(replace(report, names=training.comparison.labels))
        if training.comparison.task == "regression":
            return self._numbers.complete(replace(report, names=output_names(training)))
        return self._classes.complete(report)

    def _look_at(self, training: Training, viewed: Viewed) -> None:
        batch = viewed.batch
        if self._boxes is not None:
            with self._draws.going_on():
                self._look_at_boxes(training, batch, self._boxes)
            return
        with self._draws.going_on():
            found = examine_batch(training, batch, viewed.others)
        if viewed.others:
            with self._draws_alone.going_on():
                alone = examine_batch(training, batch)
            self._gain.add(found, alone)
        if training.comparison.is_mask:
            self._masks.add(found.predicted, found.target)
        elif is_sequence(training.comparison, found.predicted, found.target):
            self._sequences.add(found.predicted, found.target)
        elif training.comparison.labels:
            self._labels.add(found.predicted, found.target)
        elif training.comparison.task == "regression":
            self._numbers.add(found.predicted, found.target)
        else:
            self._classes.add(class_chances(found.predicted), found.target)
        self._losses += found.losses
        self.done += len(found.losses)

    def _look_at_boxes(self, training: Training, batch: Batch, boxes: BoxResults) -> None:
        outputs = training.model(*[batch[field] for field in training.input_fields])
        boxes.add(outputs, batch)
        size = len(batch[training.input_fields[0]])
        self._losses += [_loss(training, outputs, batch, row) for row in range(size)]
        self.done += size


class ExaminedBatch(NamedTuple):
    """What a model says about the samples of a batch, in the form that the metrics of its task
    take, beside what would be right, and what each sample costs alone.
    """

    predicted: Tensor
    target: Tensor
    losses: list[float]


def examine_batch(training: Training, batch: Batch, others: Sequence[Batch] = ()) -> ExaminedBatch:
    """Ask a model that is lent in eval mode about a batch, and its ``others`` views, of which the
    mean is the answer. Raises :class:`DiagnosticError` V001 for
    one whose output cannot be compared with the data sample by sample; of boxes there are only the
    costs.
    """

    def forward(batch: Batch) -> Outputs:
        return training.model(*[batch[field] for field in training.input_fields])

    outputs = over_views(training, Viewed(batch, others), forward)
    pair = training.comparison.pick(outputs, batch)
    size = len(batch[training.input_fields[0]])
    if training.comparison.boxes is not None:
        losses = [_loss(training, outputs, batch, row) for row in range(size)]
        return ExaminedBatch(torch.empty(size, 0), torch.empty(size, 0), losses)
    if pair is not None:
        predicted, target = training.comparison.prepared(*pair)
        if training.comparison.labels:
            predicted, target = predicted.reshape(size, -1), target.reshape(size, -1)
        is_mask = training.comparison.is_mask
        fits = (
            predicted.shape[2:] == target.shape[1:]
            if is_mask
            else predicted.ndim <= min(2, target.ndim + 1)
            or is_sequence(training.comparison, predicted, target)
        )
        if len(predicted) == len(target) == size and fits:
            losses = [_loss(training, outputs, batch, row) for row in range(size)]
            return ExaminedBatch(predicted, target, losses)
    raise DiagnosticError.of("V001")


def class_chances(predicted: Tensor) -> Tensor:
    """Return probabilities (samples, classes) from the scores of a classifier, of shape (samples,)
    the probability of the second class; log-probabilities of an ``NLLLoss`` stay what they are.
    """
    if predicted.ndim == 1:
        return torch.stack((1 - predicted, predicted), dim=1)
    return predicted.softmax(dim=1)


def _loss(training: Training, outputs: Outputs, batch: Batch, row: int) -> float:
    """Return what a sample costs alone."""
    one = slice(row, row + 1)

    def cut(values: Tensor) -> Tensor:
        return values[one] if values.ndim else values  # a loss of the whole batch stays

    sample_outputs = cut(outputs) if isinstance(outputs, Tensor) else tuple(map(cut, outputs))
    total, _ = training.loss(sample_outputs, {name: values[one] for name, values in batch.items()})
    return float(total)


def class_names(training: Training) -> tuple[str, ...]:
    """Return the classes that a classifier tells apart; of two without names ``0`` and ``1``."""
    return compared_classes(training) or _BINARY


def compared_classes(training: Training) -> tuple[str, ...]:
    """Return the names of the classes that predictions are compared with, also where the field is
    0 or 1 for the second of two; none where it has none.
    """
    info = training.data.info.field(training.comparison.field)
    if info is None or info.classes or training.comparison.task != "binary":
        return info.classes if info else ()
    named = [each.classes for each in training.data.info.fields if each.kind == "class"]
    is_same = training.data.source.task == "binary" and len(named) == 1 and len(named[0]) == 2
    return named[0] if is_same else ()


def _points(training: Training, part: Part) -> tuple[float, ...]:
    """Return the inputs before normalisation where one number tells a sample: all that the model
    reads, or what the data offers to be drawn over.
    """
    source, read = training.data.source, training.input_fields
    names = [
        info.name
        for info in source.infos
        if info.role == "input" and (info.name not in read or len(read) == 1)
    ]
    names.sort(key=lambda name: name not in read)
    for name in names:
        values = source.column(name)
        if values is not None and values.numel() == len(values):
            return tuple(values[training.data.indices[part]].flatten().tolist())
    return ()
