"""Checks of classes: imbalance, and classes with too few samples."""

import numpy as np
import torch

from engine.data.health.finding import MOST_SAMPLES, Shown, finding, listed
from engine.data.health.subject import Subject
from engine.data.split.split import TRAIN
from engine.diagnostics import Diagnostic, Severity
from engine.graph.repair.case import RepairProposal, words
from engine.spec.health import HealthFinding

_MOST_IMBALANCE = 5  # times the samples of the smallest class, as the doctor has it
_FEW = 5  # training samples


def check_balance(subject: Subject) -> tuple[HealthFinding, ...] | None:
    """Return D217 where the largest class has many times the training samples of the smallest and
    neither loss nor sampler makes up for it, D218 for classes of very few; of boxes their numbers
    count. None without classes.
    """
    labels = subject.labels
    if subject.source.boxes() is not None:
        return _of_boxes(subject)
    if labels is None or len(subject.classes) < 2:
        return None
    is_training = subject.parts == TRAIN if subject.indices else np.ones(len(labels), bool)
    rows = np.flatnonzero(is_training & (labels >= 0))
    counts = np.bincount(labels[rows], minlength=len(subject.classes))
    found = [*_imbalance(subject, counts)]
    few = np.flatnonzero(counts < _FEW)
    if len(few):
        names = listed(f"{subject.classes[at]} ({counts[at]})" for at in few)
        problem = Diagnostic.of("D218", severity=Severity.WARNING, count=len(few), names=names)
        indices = rows[np.isin(labels[rows], few)]
        shown = Shown(indices=indices[:MOST_SAMPLES].tolist())
        found.append(finding(problem, subject, shown, total=len(indices)))
    return tuple(found)


def _of_boxes(subject: Subject) -> tuple[HealthFinding, ...] | None:
    """Return D307 where a class has many times the boxes of another in training, D308 for classes
    of very few.
    """
    table, classes = subject.source.boxes(), subject.box_classes
    if table is None or len(classes) < 2:
        return None
    training = subject.indices.get("train")
    rows = torch.arange(table.samples) if training is None else training
    counts = table.class_counts(rows, len(classes)).numpy()
    most, least = int(counts.max()), int(counts.min())
    found: list[HealthFinding] = []
    if most >= _MOST_IMBALANCE * max(least, 1):
        large, small = classes[int(counts.argmax())], classes[int(counts.argmin())]
        problem = Diagnostic(
            code="D307",
            severity=Severity.WARNING,
            params={"most": most, "large": large, "least": least, "small": small},
        )
        found.append(finding(problem, subject))
    few = np.flatnonzero(counts < _FEW)
    if len(few):
        names = listed(f"{classes[at]} ({counts[at]})" for at in few)
        problem = Diagnostic.of("D308", severity=Severity.WARNING, count=len(few), names=names)
        is_few = torch.isin(table.labels, torch.from_numpy(few))
        samples = np.intersect1d(table.owners[is_few].numpy(), rows.numpy())
        shown = Shown(indices=samples[:MOST_SAMPLES].tolist())
        found.append(finding(problem, subject, shown, total=len(samples)))
    return tuple(found)


def _imbalance(subject: Subject, counts: "np.ndarray") -> tuple[HealthFinding, ...]:
    most, least = int(counts.max()), int(counts.min())
    is_drawn = subject.spec.sampler in ("balanced", "weighted")
    if subject.is_weighted or is_drawn or most < _MOST_IMBALANCE * max(least, 1):
        return ()
    problem = Diagnostic.of(
        "D217",
        severity=Severity.WARNING,
        field="data.sampler",
        most=most,
        large=subject.classes[int(counts.argmax())],
        least=least,
        small=subject.classes[int(counts.argmin())],
    )
    repairs = [] if subject.spec.sampler != "uniform" else [_balanced(subject)]
    return (finding(problem, subject, repairs=repairs),)


def _balanced(subject: Subject) -> RepairProposal:
    settings: dict[str, str | bool] = {} if subject.spec.shuffle else {"data.shuffle": True}
    settings |= {"data.sampler": "balanced"}
    if subject.spec.sampler_column:  # to balance the classes
        settings |= {"data.sampler_column": ""}
    return RepairProposal(words=words("F052"), settings=dict(settings))
