"""Predictions of a checkpoint for all samples of its data, a little at a time."""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from engine.data.browse.predicted import PART_NAMES, PredictedSamples
from engine.data.load.part import Batch, BatchIndex, PartData
from engine.data.source.source import PARTS, Part
from engine.data.split.split import part_numbers
from engine.data.time_slice import time_slice
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.query.results.evaluation import (
    ExaminedBatch,
    class_chances,
    class_names,
    examine_batch,
)
from engine.query.results.masks import MaskTally
from engine.query.trained import Trained
from engine.spec.browse import (
    CONFIDENCE,
    CORRECT,
    IOU,
    LEARNED,
    LOSS,
    NEW,
    PREDICTION,
    prediction_key,
)
from engine.train.evaluation_draws import EvaluationDraws
from engine.train.learned import NEVER, learned_steps
from engine.train.running_text import is_sequence
from engine.train.training import Training

_Found = dict[str, Tensor]
_MOST_NUMBERS = 16  # of a sample, that have a column each
_EVEN = 0.5
_NO_LABEL = "–"


class _Place(NamedTuple):
    """A part, and the index in the source of each of its samples (int64)."""

    part: Part
    indices: Tensor


class SamplePredictions:
    """Goes through all parts; of each sample only a few numbers are kept, so that memory does not
    grow with the classes or the pixels. Raises :class:`DiagnosticError`: K014 where no part has a
    sample, V001 for a model whose output cannot be compared with the data. A sample that cannot be
    read has no values and is counted; where none can be, the reason is raised.
    """

    def __init__(self, trained: Trained) -> None:
        self._trained = trained
        training = trained.training
        places = (_Place(part, training.data.indices[part]) for part in PARTS)
        self._places = [place for place in places if len(place.indices)]
        self.total = sum(len(place.indices) for place in self._places)
        self.done = 0
        self._unread = 0
        self._reason: Diagnostic | None = None
        if not self.total:
            raise DiagnosticError.of("K014", split="train")
        comparison = training.comparison
        has_numbers = comparison.task == "regression" or comparison.labels
        self._classes = () if has_numbers else class_names(training)
        self._sets: dict[tuple[bool, ...], tuple[int, str]] = {}
        self._arrays: _Found = {}
        self._parts = self._parts_of_run()
        self._keep_learned()
        self._steps = self._examined(training)

    def advance(self, seconds: float) -> bool:
        """Go on for about so long, one batch at least; return whether all samples were seen."""
        with self._trained.in_use():
            for size in time_slice(self._steps, seconds):
                self.done += size
        return self.done >= self.total

    def result(self) -> PredictedSamples:
        """Return what was found, when all samples were seen."""
        return PredictedSamples(
            samples=self._trained.training.data.source.samples,
            classes=self._classes,
            arrays={name: values.numpy() for name, values in self._arrays.items()},
            parts=None if self._parts is None else self._parts.numpy(),
            unread=self._unread,
            reason=self._reason,
        )

    def _examined(self, training: Training) -> Iterator[int]:
        """Yield how many samples were predicted, batch by batch."""
        for place in self._places:
            done, draws = 0, EvaluationDraws(training, place.part)
            for batch in self._whole_batches(place.part):
                with draws.going_on():
                    examined = examine_batch(training, batch)
                size = len(examined.losses)
                self._keep(place.indices[done : done + size], self._told(training, examined))
                done += size
                yield size
            for rows, batch in self._readable(place.part, done):
                if batch is not None:
                    with draws.going_on():
                        examined = examine_batch(training, batch)
                    self._keep(place.indices[rows], self._told(training, examined))
                yield len(rows)

    def _whole_batches(self, part: Part) -> Iterator[Batch]:
        """Yield the batches of a part up to the first one with a sample that cannot be read."""
        batches = self._trained.training.part_batches(part)
        while True:
            try:
                batch = next(batches, None)
            except DiagnosticError:
                return  # what is wrong with which sample is found one by one
            if batch is None:
                return
            yield batch

    def _readable(self, part: Part, done: int) -> Iterator[tuple[Tensor, Batch | None]]:
        """Yield the samples of a part behind the first ``done``, of each batch first those that can
        be read (their positions and values), then the others (None). Raises the reason where no
        sample could be read so far.
        """
        training = self._trained.training
        data, size = training.data.parts[part], training.spec.data.batch_size
        for start in range(done, len(data), size):
            positions = torch.arange(start, min(start + size, len(data)))
            is_readable = torch.tensor([self._can_read(data, at) for at in positions.split(1)])
            if bool(is_readable.any()):
                rows = positions[is_readable]
                yield rows, training.placed_batch(data.batch(BatchIndex(0, 0, 0, rows)))
            elif self._reason is not None and not (self._arrays.keys() - {LEARNED}):
                raise DiagnosticError(self._reason)
            if not bool(is_readable.all()):
                yield positions[~is_readable], None

    def _can_read(self, data: PartData, at: Tensor) -> bool:
        try:
            data.batch(BatchIndex(0, 0, 0, at))
        except DiagnosticError as error:
            self._unread += 1
            self._reason = self._reason or error.problems[0]
            return False
        return True

    def _keep(self, indices: Tensor, found: _Found) -> None:
        for name, values in found.items():
            if name not in self._arrays:
                missing = float("nan") if values.is_floating_point() else -1
                samples = self._trained.training.data.source.samples
                self._arrays[name] = torch.full((samples,), missing, dtype=values.dtype)
            self._arrays[name][indices] = values

    def _parts_of_run(self) -> Tensor | None:
        """Return the part (int8) of the run in which each sample is; None where the run has not
        noted it, for the samples may have been others then.
        """
        data = self._trained.training.data
        if not data.division.is_of_run:
            return None
        parts = part_numbers(data.source.samples, data.indices).to(torch.int8)
        is_new = torch.from_numpy(data.division.is_new) & (parts >= 0)
        return parts.masked_fill(is_new, PART_NAMES.index(NEW))

    def _keep_learned(self) -> None:
        """Keep since which step the training samples are predicted rightly, where the run noted it
        for those that there are.
        """
        try:
            since = learned_steps(self._trained.learned, self._trained.output)
        except ValueError:  # spoiled: the run itself tells it when it goes on
            return
        indices = self._trained.training.data.indices["train"]
        if since is not None and len(since) == len(indices):
            steps = since.double()
            steps[since == NEVER] = float("inf")
            self._keep(indices, {LEARNED: steps})

    def _told(self, training: Training, examined: ExaminedBatch) -> _Found:
        """Return what is kept of a batch, by column."""
        found: _Found = {LOSS: torch.tensor(examined.losses, dtype=torch.float32)}
        if training.comparison.boxes is not None:
            return found
        if training.comparison.is_mask:
            tally = MaskTally(training.comparison.ignored)
            tally.add(examined.predicted, examined.target)
            found[IOU] = torch.tensor(tally.ious, dtype=torch.float32)
        elif is_sequence(training.comparison, examined.predicted, examined.target):
            pass  # a token for each position is no value of a column
        elif training.comparison.labels:
            found |= self._of_labels(examined, training.comparison.labels)
        elif training.comparison.task != "regression":
            found |= self._of_classes(examined)
        elif examined.predicted.shape[1] == 1:
            found[PREDICTION] = examined.predicted.flatten().float().cpu()
        else:
            found |= self._of_numbers(training, examined.predicted.float().cpu())
        return found

    def _of_numbers(self, training: Training, predicted: Tensor) -> _Found:
        """Return what is predicted for each of several numbers, where these have names."""
        info = training.data.info.field(training.comparison.field)
        if info is None or predicted.shape[1] > _MOST_NUMBERS:
            return {}
        names = training.data.source.value_names(info.name) or info.entry_names
        if len(names) != predicted.shape[1]:
            return {}
        columns = zip(names, predicted.unbind(dim=1), strict=True)
        return {prediction_key(name): values for name, values in columns}

    def _of_labels(self, examined: ExaminedBatch, names: tuple[str, ...]) -> _Found:
        """Return the labels that samples get, as sure as the least sure one, and whether these are
        all of theirs and no others.
        """
        chances, is_true = examined.predicted.float().cpu(), examined.target.cpu() > _EVEN
        is_told = chances > _EVEN
        sets = [tuple(row) for row in is_told.tolist()]
        for each in dict.fromkeys(sets):
            told = ", ".join(name for name, has in zip(names, each, strict=True) if has)
            self._sets.setdefault(each, (len(self._sets), told or _NO_LABEL))
        self._classes = tuple(told for _, told in self._sets.values())
        return {
            PREDICTION: torch.tensor([self._sets[each][0] for each in sets], dtype=torch.int32),
            CONFIDENCE: torch.maximum(chances, 1 - chances).amin(dim=1),
            CORRECT: (is_told == is_true).all(dim=1).to(torch.int8),
        }

    def _of_classes(self, examined: ExaminedBatch) -> _Found:
        chances = class_chances(examined.predicted)
        known = len(self._classes)
        if chances.shape[1] < known:
            raise DiagnosticError.of("V001")
        self._classes += tuple(str(number) for number in range(known, chances.shape[1]))
        best = chances.max(dim=1)
        return {
            PREDICTION: best.indices.int().cpu(),
            CONFIDENCE: best.values.float().cpu(),
            CORRECT: (best.indices == examined.target.long()).to(torch.int8).cpu(),
        }
