"""Curve of the learning rate that is drawn by hand: points over the run, joined by lines.

``0:0.1, 0.1:1, 1:0`` are a tenth of the learning rate in the first step, all of it a tenth of the
run later, and nothing in the last step.
"""

import ast
import math
from itertools import pairwise
from typing import NamedTuple

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.spec.expression import Expression
from engine.spec.run import Choice

POINTS, JOINED = "points", "interpolation"
_MOST = 50
_LARGEST = 1e6
_SHARE = "(step / max(total - 1, 1))"  # 1 in the last step; afterwards the last factor stays


class CurvePoint(NamedTuple):
    """A factor of the learning rate at a ``share`` of the run, from 0 to 1."""

    share: float
    factor: float


def read_points(text: str, *, is_log: bool = False) -> tuple[CurvePoint, ...]:
    """Return the points of a text. Raises :class:`DiagnosticError` R499 where they make no curve:
    from 2 to 50 of them, one after the other, with factors from 0 (``is_log``: above 0).
    """
    found: list[CurvePoint] = []
    for part in text.replace("，", ",").replace("：", ":").split(","):
        share, _, factor = part.partition(":")
        try:
            found.append(CurvePoint(float(share), float(factor)))
        except ValueError as error:
            raise _none(part) from error
    lowest = 0.0 if not is_log else math.ulp(0.0)
    for point in found:
        if not 0 <= point.share <= 1 or not lowest <= point.factor <= _LARGEST:
            raise _none(f"{point.share:g}:{point.factor:g}")
    for before, after in pairwise(found):
        if after.share <= before.share:
            raise _none(f"{after.share:g}:{after.factor:g}")
    if not 2 <= len(found) <= _MOST:
        raise _none(text[:40])
    return tuple(found)


def points_text(points: tuple[CurvePoint, ...]) -> str:
    """Return points as they are written."""
    return ", ".join(f"{point.share!r}:{point.factor!r}" for point in points)


def drawn_factor(choice: Choice) -> Expression:
    """Return the factor of a drawn curve over the steps. Raises as :func:`read_points`."""
    entry = catalog().entry(EntryGroup.SCHEDULER, choice.type)
    assert entry is not None  # it was chosen
    is_log = entry.value(choice.params, JOINED) == "log"
    points = read_points(str(entry.value(choice.params, POINTS)), is_log=is_log)
    text = repr(points[-1].factor)
    for before, after in reversed(list(pairwise(points))):
        text = f"{_line(before, after, is_log=is_log)} if {_SHARE} < {after.share!r} else {text}"
    first = points[0]
    if first.share > 0:
        text = f"{first.factor!r} if {_SHARE} < {first.share!r} else {text}"
    return Expression(ast.parse(text, mode="eval").body)


def _line(before: CurvePoint, after: CurvePoint, *, is_log: bool) -> str:
    start, end = before.factor, after.factor
    if is_log:
        start, end = math.log(start), math.log(end)
    slope = (end - start) / (after.share - before.share)
    line = f"{start!r} + {slope!r} * ({_SHARE} - {before.share!r})"
    return f"exp({line})" if is_log else f"max({line}, 0.0)"


def _none(part: str) -> DiagnosticError:
    return DiagnosticError(Diagnostic.of("R499", field=POINTS, value=part.strip()[:40]))
