"""Checks of the columns of the inputs: constant, naming rows, missing, far off, giving away the
target.
"""

from collections.abc import Generator, Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine.data.health.finding import MOST_SAMPLES, Shown, finding, listed, of_indices
from engine.data.health.give_away import gives_away
from engine.data.health.subject import Indices, InputColumn, Subject
from engine.data.source.table import TableSource
from engine.diagnostics import Diagnostic, Severity
from engine.graph.repair.case import RepairProposal, words
from engine.spec.health import CheckResult, HealthFinding
from engine.spec.table import names_text

_LEAST = 20  # samples, to say something of a column
_MANY_MISSING = 0.5
_SPAN = 1.1  # of the numbers of rows
_DISTINCT = 0.9  # of the values of categories that name rows
_FAR, _FAR_LOG = 30.0, 8.0  # times the usual deviation
_MOST_FAR = 0.01  # of the samples; more of them are a long tail
_DEVIATION = 1.4826  # of a normal distribution, in median absolute deviations


@dataclass(kw_only=True)
class _Marks:
    """What was noted of the columns: names, and samples that show it by column."""

    constant: list[str] = field(default_factory=list[str])
    naming: list[str] = field(default_factory=list[str])
    missing: dict[str, Indices] = field(default_factory=dict[str, Indices])
    far: dict[str, Indices] = field(default_factory=dict[str, Indices])
    telling: list[tuple[str, float]] = field(default_factory=list[tuple[str, float]])


def check_columns(subject: Subject) -> Generator[int, None, tuple[CheckResult, ...]]:
    """Return D208 for constant columns, D209 for those that only name the row, D215 for missing
    values, D216 for numbers that are far off, D207 for columns that give the target away; nothing
    where the inputs have no columns. Yields how many columns were looked at.
    """
    if not subject.width:
        return ()
    marks = _Marks()
    for column in subject.columns():
        with np.errstate(over="ignore", invalid="ignore"):  # a table may hold 1e308
            _look_at(subject, column, marks)
        yield 1
    results = {
        "constant": _useless("D208", subject, marks.constant),
        "naming": _useless("D209", subject, marks.naming),
        "missing": _missing(subject, marks),
        "outliers": _far(subject, marks),
    }
    if subject.width > 1 and (subject.labels is not None or subject.numbers is not None):
        results["give_away"] = _telling(subject, marks)
    return tuple(CheckResult(check=name, findings=each) for name, each in results.items())


def _look_at(subject: Subject, column: InputColumn, marks: _Marks) -> None:
    is_missing = column.is_missing & subject.is_included
    is_known = ~column.is_missing & subject.is_included
    if is_missing.any():
        marks.missing[column.name] = np.flatnonzero(is_missing)
    known = column.values[is_known]
    if not len(known):
        return
    if (known == known[0]).all():
        if not is_missing.any():
            marks.constant.append(column.name)
        return
    if len(known) < _LEAST:
        return
    if subject.width > 1 and _names_rows(known, is_category=column.is_category):
        marks.naming.append(column.name)
    if not column.is_category:
        far = np.flatnonzero(is_known)[_far_off(known)]
        if 0 < len(far) <= max(1, _MOST_FAR * len(known)):
            marks.far[column.name] = far
    share = gives_away(subject, column)
    if share:
        marks.telling.append((column.name, share))


def _names_rows(values: NDArray[np.generic], *, is_category: bool) -> bool:
    """Return whether values are all different and number the rows, or nearly all different."""
    if is_category:
        return len(np.unique(values)) > _DISTINCT * len(values)
    numbers = values.astype(np.float64)
    if not np.isfinite(numbers).all() or (numbers != np.round(numbers)).any():
        return False
    span = numbers.max() - numbers.min() + 1
    return bool(span <= _SPAN * len(numbers) and len(np.unique(numbers)) == len(numbers))


def _far_off(values: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Return which numbers are many usual deviations from the middle; of positive ones, in their
    logarithms too.
    """
    numbers = values.astype(np.float64)
    is_far = _distance(numbers) > _FAR
    if is_far.any() and numbers.min() >= 0:
        is_far &= _distance(np.log1p(numbers)) > _FAR_LOG
    return is_far


def _distance(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    middle = np.median(numbers)
    deviation = _DEVIATION * float(np.median(np.abs(numbers - middle)))
    if not deviation > 0:
        return np.zeros(len(numbers))
    return np.abs(numbers - middle) / deviation


def _useless(code: str, subject: Subject, names: list[str]) -> tuple[HealthFinding, ...]:
    """Return what is told of columns that are better left out."""
    if not names:
        return ()
    problem = Diagnostic.of(
        code, severity=Severity.WARNING, count=len(names), columns=listed(names)
    )
    return (finding(problem, subject, repairs=(without(subject, names),)),)


def _missing(subject: Subject, marks: _Marks) -> tuple[HealthFinding, ...]:
    if not marks.missing:
        return ()
    many = [name for name, at in marks.missing.items() if len(at) > _MANY_MISSING * subject.samples]
    rows = np.unique(np.concatenate(list(marks.missing.values())))
    percents = (
        f"{name} ({100 * len(at) / subject.samples:.2g} %)" for name, at in marks.missing.items()
    )
    problem = Diagnostic.of(
        "D215",
        severity=Severity.WARNING if many else Severity.HINT,
        field="data.source.missing" if isinstance(subject.source, TableSource) else None,
        count=len(rows),
        columns=listed(percents),
    )
    shown = Shown(indices=rows[:MOST_SAMPLES].tolist())
    repairs = (without(subject, many),) if many else ()
    return (
        finding(problem, subject, shown, total=len(rows), surplus=rows.tolist(), repairs=repairs),
    )


def _far(subject: Subject, marks: _Marks) -> tuple[HealthFinding, ...]:
    if not marks.far:
        return ()
    rows = np.unique(np.concatenate(list(marks.far.values())))
    return (of_indices("D216", Severity.HINT, subject, rows, columns=listed(marks.far)),)


def _telling(subject: Subject, marks: _Marks) -> tuple[HealthFinding, ...]:
    found: list[HealthFinding] = []
    for name, share in marks.telling:
        problem = Diagnostic.of(
            "D207",
            severity=Severity.WARNING,
            field="data.source.ignored" if isinstance(subject.source, TableSource) else None,
            column=name,
            percent=f"{100 * share:.4g}",
        )
        found.append(finding(problem, subject, repairs=(without(subject, [name]),)))
    return tuple(found)


def without(subject: Subject, names: Iterable[str]) -> RepairProposal | None:
    """Return the change that leaves out columns of a table; None where it has no others, or the
    data is no table.
    """
    source, params = subject.source, subject.spec.source.params
    gone = list(names)
    if not isinstance(source, TableSource) or not gone:
        return None
    kept = [column.name for column in source.columns if column.name not in gone]
    if not kept:
        return None
    said = words("D225", columns=listed(gone))
    if str(params.get("inputs") or "").strip():
        return RepairProposal(words=said, settings={"data.source.inputs": names_text(kept)})
    before = str(params.get("ignored") or "").strip()
    settings = {"data.source.ignored": ", ".join(filter(None, (before, names_text(gone))))}
    return RepairProposal(words=said, settings=dict(settings))
