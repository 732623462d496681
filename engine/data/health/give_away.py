"""Columns that give the target away: how much of it one column alone predicts.

A column is tried with the nearest neighbour: half of the samples are sorted by it, and each of the
others takes the target of the one that is closest. Nothing is assumed of the form, and the samples
that are judged were not learned from. For numbers a straight line is tried too.
"""

import numpy as np
from numpy.typing import NDArray

from engine.data.health.subject import InputColumn, Subject

_LEAST, _MOST = 40, 50_000  # samples that are tried
_CLASSES = 0.99  # of the classes right
_BETTER = 0.1  # of the errors that the most frequent class makes
_NUMBERS = 0.999  # of the variance


def gives_away(subject: Subject, column: InputColumn) -> float:
    """Return the share of the target that a column alone tells, 0 where that is less than nearly
    all: of classes those that are right, of numbers that of the variance.
    """
    labels, numbers = subject.labels, subject.numbers
    target = labels if labels is not None else numbers
    if target is None:
        return 0.0
    usable = ~column.is_missing & subject.is_included
    usable &= target >= 0 if labels is not None else np.isfinite(target)
    rows = np.flatnonzero(usable)
    if len(rows) < _LEAST:
        return 0.0
    order = np.random.default_rng(0).permutation(len(rows))[:_MOST]
    values, answers = column.values[rows[order]], target[rows[order]]
    half = len(order) // 2
    guesses = _nearest(values[:half], answers[:half], values[half:])
    if labels is not None:
        return _told_classes(guesses, answers[half:])
    share = _told_numbers(guesses, answers[half:])
    if not column.is_category:
        share = max(share, _straight(values, answers))
    return share if share >= _NUMBERS else 0.0


def _straight(values: NDArray[np.generic], answers: NDArray[np.generic]) -> float:
    """Return the share of the variance that a straight line tells."""
    x, y = values.astype(np.float64), answers.astype(np.float64)
    x, y = x - x.mean(), y - y.mean()
    spread = float(np.square(x).sum() * np.square(y).sum())
    return float(x @ y) ** 2 / spread if spread > 0 else 0.0


def _nearest(
    known: NDArray[np.generic], answers: NDArray[np.generic], asked: NDArray[np.generic]
) -> NDArray[np.float64]:
    """Return the answer at the nearest value that is known, any of them where there are several."""
    order = np.argsort(known, kind="stable")
    values, told = known[order].astype(np.float64), answers[order].astype(np.float64)
    wanted = asked.astype(np.float64)
    after = np.searchsorted(values, wanted).clip(0, len(values) - 1)
    before = (after - 1).clip(0)
    is_before = np.abs(wanted - values[before]) < np.abs(values[after] - wanted)
    return told[np.where(is_before, before, after)]


def _told_classes(guesses: NDArray[np.float64], answers: NDArray[np.generic]) -> float:
    share = float((guesses == answers).mean())
    most_frequent = np.unique(answers, return_counts=True)[1].max() / len(answers)
    is_telling = share >= _CLASSES and 1 - share <= _BETTER * (1 - most_frequent)
    return share if is_telling and most_frequent < 1 else 0.0


def _told_numbers(guesses: NDArray[np.float64], answers: NDArray[np.generic]) -> float:
    truth = answers.astype(np.float64)
    spread = float(np.square(truth - truth.mean()).sum())
    if not spread > 0:
        return 0.0
    return 1 - float(np.square(guesses - truth).sum()) / spread
