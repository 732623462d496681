"""Check of duplicates: equal inputs within and across parts, and with different labels."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from engine.data.health.finding import finding, shown_groups
from engine.data.health.scan import Scan
from engine.data.health.subject import Indices, Subject
from engine.data.split.split import TRAIN
from engine.diagnostics import Diagnostic, Severity
from engine.graph.repair.case import RepairProposal, words
from engine.spec.health import HealthFinding


def check_duplicates(subject: Subject, scan: Scan) -> tuple[HealthFinding, ...]:
    """Return D200 for copies within the parts, D201 for copies of training samples in other parts,
    D204 for equal inputs with different labels.
    """
    labels, numbers = subject.labels, subject.numbers
    keys = scan.groups
    if labels is not None:
        keys = _combined(keys, labels)
    elif numbers is not None:
        keys = _combined(keys, np.unique(numbers, return_inverse=True)[1])
    found = [*repeated(subject, keys, ("D200", "D201"), _kept_together(subject))]
    if labels is not None:
        found += _conflicts(subject, scan.groups, labels)
    return tuple(found)


def repeated(
    subject: Subject,
    groups: Indices,
    codes: tuple[str, str],
    repair: RepairProposal | None = None,
) -> Iterator[HealthFinding]:
    """Yield what is told of samples of the same group (int64, -1 for none): the first code for
    copies within the parts, the second for training samples that are in another part too.
    """
    inside, across = codes
    leaking: list[Indices] = []
    rest: list[Indices] = []
    for group in gathered(groups):
        (leaking if _leaks(subject, group) else rest).append(group)
    spread = [int(index) for group in leaking for index in _evaluated(subject, group)]
    if leaking:
        problem = Diagnostic.of(
            across, severity=Severity.WARNING, field="data.split.group_equal", count=len(spread)
        )
        shown = shown_groups([group.tolist() for group in leaking])
        yield finding(
            problem,
            subject,
            shown,
            total=len(spread),
            surplus=spread,
            repairs=(repair,),
            is_excluding=True,
        )
    copies = [int(index) for group in rest for index in group[1:]]
    if copies:
        problem = Diagnostic.of(inside, severity=Severity.HINT, count=len(copies), groups=len(rest))
        shown = shown_groups([group.tolist() for group in rest])
        yield finding(problem, subject, shown, total=len(copies), surplus=copies, is_excluding=True)


def gathered(groups: Indices) -> Iterator[Indices]:
    """Yield the samples (int64, ascending) of each group that has several, the first ones first."""
    order = np.argsort(groups, kind="stable")
    numbers = groups[order]
    starts = np.flatnonzero(np.diff(numbers, prepend=-2))
    ends = np.append(starts[1:], len(order))
    chosen = np.flatnonzero((ends - starts > 1) & (numbers[starts] >= 0))
    for at in chosen[np.argsort(order[starts[chosen]], kind="stable")]:
        yield order[starts[at] : ends[at]]


def _combined(groups: Indices, labels: Indices) -> Indices:
    """Return numbers of samples that are equal in both."""
    pairs = groups * (int(labels.max(initial=0)) + 2) + labels + 1
    return np.where(groups < 0, -1, pairs)


def _leaks(subject: Subject, group: Indices) -> bool:
    parts = subject.parts[group]
    return bool((parts == TRAIN).any() and (parts > TRAIN).any())


def _evaluated(subject: Subject, group: Indices) -> NDArray[np.int64]:
    return group[subject.parts[group] > TRAIN]


def _kept_together(subject: Subject) -> RepairProposal | None:
    if subject.spec.split.group_equal:
        return None
    return RepairProposal(words=words("F051"), settings={"data.split.group_equal": True})


def _conflicts(subject: Subject, groups: Indices, labels: Indices) -> Iterator[HealthFinding]:
    conflicts = [
        group
        for group in gathered(np.where(labels < 0, -1, groups))
        if (labels[group] != labels[group[0]]).any()
    ]
    if conflicts:
        count = sum(map(len, conflicts))
        problem = Diagnostic.of(
            "D204", severity=Severity.WARNING, count=count, groups=len(conflicts)
        )
        shown = shown_groups([group.tolist() for group in conflicts])
        yield finding(problem, subject, shown, total=count)
