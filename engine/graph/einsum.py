"""Equation of an einsum: which letter stands for which axis, and what does not fit."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from engine.diagnostics import Diagnostic

Shape = Sequence[int | str]

_ELLIPSIS = "..."
_OPERAND = re.compile(r"[A-Za-z]*(?:\.\.\.)?[A-Za-z]*")


class Subscripts(NamedTuple):
    """The letters of each operand and of the result; ``...`` stands for any axes."""

    operands: tuple[str, ...]
    result: str


def read_equation(equation: str) -> Subscripts | None:
    """Return what an equation says, or nothing when it cannot be read.

    Without an arrow the result has the letters that occur once, in the order of the alphabet.
    """
    left, arrow, result = equation.replace(" ", "").partition("->")
    operands = tuple(left.split(","))
    if not all(_OPERAND.fullmatch(part) for part in (*operands, result)):
        return None
    if not arrow:
        counts = Counter(letter for part in operands for letter in part.replace(_ELLIPSIS, ""))
        has_more = any(_ELLIPSIS in part for part in operands)
        once = "".join(sorted(letter for letter, count in counts.items() if count == 1))
        result = (_ELLIPSIS if has_more else "") + once
    return Subscripts(operands, result)


def equation_fault(equation: str, shapes: Sequence[Shape]) -> Diagnostic | None:
    """Return why an equation does not work for tensors of these shapes."""
    parsed = read_equation(equation)
    if parsed is None:
        return _fault("S037", equation=equation)
    if len(parsed.operands) != len(shapes):
        return _fault("S038", count=len(parsed.operands), actual=len(shapes))
    for number, (letters, shape) in enumerate(zip(parsed.operands, shapes, strict=True), 1):
        count = len(letters.replace(_ELLIPSIS, ""))
        if count > len(shape) if _ELLIPSIS in letters else count != len(shape):
            return _fault("S039", number=number, letters=letters, rank=len(shape))
    sizes: dict[str, int | str] = {}
    for letters, shape in zip(parsed.operands, shapes, strict=True):
        for letter, size in _labelled(letters, shape):
            size_before = sizes.get(letter, 1)
            if 1 not in (size_before, size) and size_before != size:
                return _fault("S041", letter=letter, first=size_before, second=size)
            sizes[letter] = size if size_before == 1 else size_before
    for letter, count in Counter(parsed.result.replace(_ELLIPSIS, "")).items():
        if letter not in sizes or count > 1:
            return _fault("S042", letter=letter, result=parsed.result)
    return None


def legend(letters: str, shape: Shape) -> str:
    """Return which letter is which axis: ``b = N, i = 4``."""
    return ", ".join(f"{letter} = {size}" for letter, size in _labelled(letters, shape))


def _labelled(letters: str, shape: Shape) -> list[tuple[str, int | str]]:
    """Return the axes that letters name, those before the ellipsis and those behind it."""
    leading, _, after = letters.partition(_ELLIPSIS)
    last = shape[len(shape) - len(after) :] if after else ()
    return [*zip(leading, shape, strict=False), *zip(after, last, strict=False)]


def _fault(code: str, **params: str | int) -> Diagnostic:
    return Diagnostic(code=code, field="equation", params={**params})
