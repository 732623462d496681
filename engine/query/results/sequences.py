"""Sequences that a model predicts, a token for each position: how often they are right, and some of
them as text.
"""

import math
import time
from collections.abc import Mapping, Sequence

import torch
from msgspec.structs import replace
from torch import Tensor
from torch.nn import functional

from engine.diagnostics import DiagnosticError
from engine.query.request import Split
from engine.query.results.masks import shown_picture
from engine.query.results.request import ResultReport, SequenceSample, SequenceSamples
from engine.query.results.samples import look_at_samples, some_samples, without_ignored
from engine.query.results.token_writer import token_writer
from engine.query.trained import Trained
from engine.train.losses import Outputs
from engine.train.running_text import is_sequence
from engine.train.training import Training
from engine.train.written_text import token_text, written_texts

_AT_ONCE = 32  # samples
_MOST_WRITTEN = 100  # tokens that a text is continued with
_MOST_SECONDS = 2.0  # for them
_MOST_SIDE = 512  # pixels of a picture that is only looked at


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


def sequence_samples(trained: Trained, part: Split, numbers: Sequence[int]) -> SequenceSamples:
    """Return samples of a part, by their numbers in it, with true and predicted tokens as text.

    Raises :class:`DiagnosticError` V001 for a model that predicts no sequences.
    """
    samples = look_at_samples(trained, part, numbers, _AT_ONCE, _some)
    return SequenceSamples(step=trained.info.step, samples=samples)


def continued(
    training: Training, batch: Mapping[str, Tensor], outputs: Outputs
) -> tuple[tuple[float, ...], str]:
    """Return the probability of each token to come after a sample, a batch of one, and the text
    that the model writes when it goes on with the likeliest each time; neither for a model that
    predicts no token for each position.
    """
    writer = token_writer(training, batch)
    if writer is None:
        return (), ""
    running = writer.running
    numbers = _given(batch[running.name][0].tolist(), running.padding)
    found = writer.scores_in(outputs, len(numbers) - 1)
    if found is None:
        return (), ""
    following = tuple(found.softmax(dim=0).tolist())
    written: list[int] = []
    end = time.monotonic() + _MOST_SECONDS
    while found is not None and len(written) < _MOST_WRITTEN and time.monotonic() < end:
        likeliest = int(found.argmax())
        if writer.is_end(likeliest):
            break
        written.append(likeliest)
        if not writer.has_room(len(written)):
            break
        scores = writer.scores([(*numbers, *written)])
        found = None if scores is None else scores[0]
    return following, writer.text(written)


def _given(numbers: Sequence[int], padding: int) -> list[int]:
    """Return tokens without what fills them up; at least one."""
    kept = list(numbers)
    while len(kept) > 1 and kept[-1] == padding:
        kept.pop()
    return kept


def _some(training: Training, part: Split, numbers: list[int]) -> list[SequenceSample]:
    found = some_samples(training, part, numbers)
    pair = training.comparison.pick(found.outputs, found.batch)
    target = training.data.info.field(training.comparison.field)
    if pair is None or target is None or not is_sequence(training.comparison, *pair):
        raise DiagnosticError.of("V001")
    truths = without_ignored(pair[1].cpu().long(), training.comparison.ignored)
    chosen = pair[0].argmax(dim=1).cpu()
    infos = [training.data.info.field(name) for name in training.input_fields]
    has_picture = any(info is not None and info.kind == "image" for info in infos)
    written = written_texts(training, found.batch) if has_picture else ()
    samples = [
        SequenceSample(
            index=place,
            number=number,
            text=_input(training, place),
            truth=token_text(training, target, truths[row], truths[row]),
            prediction=token_text(training, target, chosen[row], truths[row]),
        )
        for row, (place, number) in enumerate(zip(found.places, numbers, strict=True))
    ]
    if not written:
        return samples
    return [
        _with_picture(sample, shown_picture(training, found.raw, row), written[row])
        for row, sample in enumerate(samples)
    ]


def _with_picture(sample: SequenceSample, picture: Tensor, written: str) -> SequenceSample:
    """Return a sample with the picture (uint8, channels first) that its text is about."""
    step = -(-max(picture.shape[1:]) // _MOST_SIDE)
    picture = picture[:, ::step, ::step].contiguous()
    return replace(
        sample,
        written=written,
        picture_size=(picture.shape[0], picture.shape[1], picture.shape[2]),
        pixels=picture.numpy().tobytes(),
    )


def _input(training: Training, place: int) -> str:
    """Return the texts that the model reads, as they were written; not the one that it writes."""
    source, infos = training.data.source, training.data.info
    names = [
        name
        for name in training.input_fields
        if (info := infos.field(name)) is None or info.start is None
    ]
    texts = [source.text(name, place) for name in names]
    return " · ".join(text for text in texts if text)


def _sum(first: Tensor, second: Tensor) -> Tensor:
    """Return the sum of two rows of counts, the shorter one filled up."""
    length = max(len(first), len(second))
    rows = [functional.pad(row, (0, length - len(row))) for row in (first, second)]
    return rows[0] + rows[1]
