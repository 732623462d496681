"""Checks of tensors before a run; problems name row and column."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

import torch
from torch import Tensor

from engine.data.source.field import TensorField
from engine.data.source.source import Part
from engine.diagnostics import Diagnostic, Severity

_SHOWN_NAMES = 5


def check_fields(
    fields: Sequence[TensorField], indices: Mapping[Part, Tensor]
) -> tuple[Diagnostic, ...]:
    """Return the problems of the values: missing numbers, constant columns, class numbers out
    of range, a single class, and classes that are absent from the training part or have fewer
    samples than there are parts.
    """
    problems: list[Diagnostic] = []
    rows = _used_rows(fields, indices)
    for field in fields:
        if field.values.is_floating_point():
            problems.extend(_check_numbers(field, rows))
        if field.info.kind == "class":
            problems.extend(_check_labels(field, indices, rows))
    return tuple(problems)


def _used_rows(fields: Sequence[TensorField], indices: Mapping[Part, Tensor]) -> Tensor | None:
    """Return the samples (int64, ascending) that are in a part; None where all are, or no parts are
    known.
    """
    used = sum(len(index) for index in indices.values())
    if not used or not fields or used == len(fields[0].values):
        return None
    return torch.cat([*indices.values()]).sort().values


def _of_rows(values: Tensor, rows: Tensor | None) -> Tensor:
    return values if rows is None else values[rows]


def _row(rows: Tensor | None, at: int) -> int:
    """Return the number of a row, from 1."""
    return (at if rows is None else int(rows[at])) + 1


def _check_numbers(field: TensorField, rows: Tensor | None) -> list[Diagnostic]:
    values = _of_rows(field.values, rows)
    flat = values.reshape(len(values), -1)
    finite = flat.isfinite()
    if not bool(finite.all()):
        return _missing(field, finite, rows)
    if field.info.kind != "vector" or len(flat) < 2:
        return []
    constant = (flat == flat[0]).all(dim=0).nonzero().flatten().tolist()
    if not constant:
        return []
    columns = _listed(_column(field, index) for index in constant)
    params: dict[str, str | int | float] = {
        "field": field.info.name,
        "count": len(constant),
        "columns": columns,
    }
    return [Diagnostic(code="D012", severity=Severity.WARNING, params=params)]


def _missing(field: TensorField, finite: Tensor, rows: Tensor | None) -> list[Diagnostic]:
    name = field.info.name
    empty = (~finite).all(dim=0).nonzero().flatten().tolist()
    if empty:
        columns = _listed(_column(field, index) for index in empty)
        told: dict[str, str | int | float] = {"field": name, "count": len(empty)}
        return [Diagnostic(code="D011", params={**told, "columns": columns})]
    row, column = (~finite).nonzero()[0].tolist()
    params: dict[str, str | int | float] = {
        "field": name,
        "row": _row(rows, row),
        "column": _column(field, column),
        "count": int((~finite).sum()),
    }
    return [Diagnostic(code="D010", params=params)]


def _check_labels(
    field: TensorField, indices: Mapping[Part, Tensor], rows: Tensor | None
) -> list[Diagnostic]:
    labels, classes = _of_rows(field.values, rows), field.info.classes
    name = field.info.name
    outside = ((labels < 0) | (labels >= len(classes))).nonzero().flatten()
    if len(outside):
        row = int(outside[0])
        params: dict[str, str | int | float] = {
            "field": name,
            "row": _row(rows, row),
            "value": int(labels[row]),
            "classes": len(classes),
            "highest": len(classes) - 1,
        }
        return [Diagnostic(code="D013", params=params)]
    if len(torch.unique(labels)) < 2:
        return [Diagnostic(code="D014", params={"field": name})]
    if "train" not in indices or len(indices["train"]) == 0:
        return []
    present = torch.bincount(field.values[indices["train"]], minlength=len(classes))
    absent = (present == 0).nonzero().flatten().tolist()
    problems = [class_finding("D015", Severity.WARNING, name, classes, absent)] if absent else []
    parts = sum(len(index) > 0 for index in indices.values())
    whole = torch.bincount(labels, minlength=len(classes))
    rare = ((present > 0) & (whole < parts)).nonzero().flatten().tolist()
    if rare:
        problems.append(class_finding("D574", Severity.HINT, name, classes, rare))
    return problems


def class_finding(
    code: str, severity: Severity, field: str, classes: Sequence[str], at: Sequence[int]
) -> Diagnostic:
    """Return a finding about the classes of a field that have the numbers ``at``."""
    listed = _listed(classes[index] for index in at)
    params: dict[str, str | int | float] = {"field": field, "count": len(at), "classes": listed}
    return Diagnostic(code=code, severity=severity, params=params)


def _listed(names: Iterable[str]) -> str:
    """Return the first few names in a row: a table may have a thousand bad columns."""
    shown = list(islice(names, _SHOWN_NAMES + 1))
    return ", ".join([*shown[:_SHOWN_NAMES], *(["…"] if len(shown) > _SHOWN_NAMES else [])])


def _column(field: TensorField, index: int) -> str:
    return field.info.columns[index] if field.info.columns else str(index + 1)
