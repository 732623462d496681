"""Conditions of breakpoints: ``loss > 3 and step >= 100``, ``nan``, ``not grad_norm < 10``.

They are read with ``ast`` and computed here: numbers, the names in :data:`NAMES`, arithmetic,
comparisons, ``and``, ``or`` and ``not``. Nothing else can be said in one, so that it can compare
and do nothing else, wherever its text comes from.
"""

import ast
import math
import operator
from collections.abc import Callable, Mapping

from engine.diagnostics import DiagnosticError

NAMES = ("step", "epoch", "loss", "grad_norm", "nan", "hits")
"""The step and the epoch, from 1; the loss and the norm of all gradients as they were computed
last; whether a tensor at the breakpoint holds a value that is not finite; how often the run
came here.
"""
MAX_LENGTH = 200
_OPERATORS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Mod: operator.mod,
}
_COMPARISONS: Mapping[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


class Condition:
    """A condition that was read. ``names`` are the numbers that it asks for: nobody has to compute
    the others.
    """

    def __init__(self, tree: ast.expr) -> None:
        self._tree = tree
        self.names = frozenset(each.id for each in ast.walk(tree) if isinstance(each, ast.Name))

    def holds(self, numbers: Mapping[str, float]) -> bool:
        """Return whether it holds. It does not while a number that it names is not there yet."""
        if not self.names <= numbers.keys():
            return False
        return _is_true(_value(self._tree, numbers))


def parse_condition(text: str) -> Condition:
    """Read a condition. Raises :class:`DiagnosticError` A013 with what is wrong with it."""
    try:
        if len(text) > MAX_LENGTH:
            raise ValueError(f"{len(text)} > {MAX_LENGTH}")
        tree = ast.parse(text.strip(), mode="eval").body
        _require_known(tree)
    except (SyntaxError, ValueError, OverflowError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        raise DiagnosticError.of(
            "A013", condition=text[:MAX_LENGTH], reason=reason, names=", ".join(NAMES)
        ) from error
    return Condition(tree)


def _require_known(tree: ast.expr) -> None:
    """Raise ``ValueError`` with the part that no condition can have."""
    match tree:
        case ast.Constant(value=int() | float() as number):
            float(number)
        case ast.Name(id=name) if name in NAMES:
            return
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Not(), operand=operand):
            _require_known(operand)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _OPERATORS:
            _require_known(left)
            _require_known(right)
        case ast.BoolOp(values=values):
            for each in values:
                _require_known(each)
        case ast.Compare(left=left, ops=signs, comparators=others):
            if not all(type(sign) in _COMPARISONS for sign in signs):
                raise ValueError(ast.unparse(tree))
            for each in (left, *others):
                _require_known(each)
        case _:
            raise ValueError(ast.unparse(tree))


def _value(  # noqa: PLR0911 - one case a form
    tree: ast.expr, numbers: Mapping[str, float]
) -> float:
    """Return the number of a part, 1 and 0 for what holds and what does not."""
    match tree:
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.Name(id=name):
            return numbers[name]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return float(not _is_true(_value(operand, numbers)))
        case ast.UnaryOp(op=sign, operand=operand):
            value = _value(operand, numbers)
            return -value if isinstance(sign, ast.USub) else value
        case ast.BinOp(left=left, op=sign, right=right):
            return _computed(_OPERATORS[type(sign)], _value(left, numbers), _value(right, numbers))
        case ast.BoolOp(op=sign, values=values):
            rule = all if isinstance(sign, ast.And) else any
            return float(rule(_is_true(_value(each, numbers)) for each in values))
        case ast.Compare(left=left, ops=signs, comparators=others):
            values = [_value(each, numbers) for each in (left, *others)]
            pairs = zip(signs, values[:-1], values[1:], strict=True)
            return float(all(_COMPARISONS[type(sign)](a, b) for sign, a, b in pairs))
        case _:
            raise ValueError(ast.unparse(tree))


def _computed(rule: Callable[[float, float], float], left: float, right: float) -> float:
    try:
        return rule(left, right)
    except ZeroDivisionError:
        return math.nan


def _is_true(value: float) -> bool:
    return bool(value) and not math.isnan(value)
