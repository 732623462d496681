"""Label errors by confident learning (Northcutt, Jiang and Chuang, 2021).

A sample counts as confidently of a class when its probability of that class reaches the mean that
the samples with that label have. Where a model that was not trained on a sample is confident of a
class other than its label, the label is likely to be wrong.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.data.health.finding import MOST_SAMPLES, Shown, finding
from engine.data.health.subject import Indices, Subject
from engine.diagnostics import Diagnostic, Severity
from engine.spec.health import HealthFinding, LabelBasis


@dataclass(frozen=True, kw_only=True)
class Chances:
    """Probabilities (float32, of shape (samples, classes)) of the samples at some indices (int64),
    from models that were not trained on them.
    """

    indices: Indices
    probabilities: NDArray[np.float32]
    basis: LabelBasis


def label_errors(probabilities: NDArray[np.floating], labels: Indices) -> Indices:
    """Return the positions (int64) of labels (int64) that are likely to be wrong, the surest first:
    those whose own class has the least of the probability of the other one.
    """
    classes = probabilities.shape[1]
    own = probabilities[np.arange(len(labels)), labels]
    counts = np.bincount(labels, minlength=classes)
    sums = np.bincount(labels, weights=own, minlength=classes)
    thresholds = np.where(counts > 0, sums / np.maximum(counts, 1), np.inf)
    is_confident = probabilities >= thresholds
    other = np.where(is_confident, probabilities, -1.0).argmax(axis=1)
    margins = own - probabilities[np.arange(len(labels)), other]
    is_wrong = is_confident.any(axis=1) & (other != labels) & (margins < 0)
    wrong = np.flatnonzero(is_wrong)
    return wrong[np.argsort(margins[wrong], kind="stable")]


def check_labels(subject: Subject, chances: Chances) -> tuple[HealthFinding, ...]:
    """Return D220 for labels that are likely to be wrong among all samples, D221 among those of a
    part.
    """
    assert subject.labels is not None
    labels = subject.labels[chances.indices]
    known = np.flatnonzero((labels >= 0) & np.isfinite(chances.probabilities).all(axis=1))
    probabilities = chances.probabilities[known]
    wrong = label_errors(probabilities, labels[known])
    if not len(wrong):
        return ()
    indices = chances.indices[known[wrong]]
    likely = probabilities[wrong].argmax(axis=1)[:MOST_SAMPLES]
    problem = Diagnostic.of(
        "D220" if chances.basis == "folds" else "D221",
        severity=Severity.WARNING,
        count=len(wrong),
        samples=len(known),
    )
    shown = Shown(
        indices=indices[:MOST_SAMPLES].tolist(),
        predicted=[subject.classes[at] for at in likely.tolist()],
    )
    return (finding(problem, subject, shown, total=len(wrong), surplus=indices.tolist()),)
