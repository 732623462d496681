"""Expression of a number over the steps of a run, such as ``min(1, (step + 1) / 100)``.

It is read as Python, but nothing in it is run: only numbers, a few names and functions, and
operators stand in it, and :meth:`Expression.value` computes these itself.
"""

import ast
import math
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

from engine.diagnostics import Diagnostic, DiagnosticError

TOTAL = "total"
NAMES = ("step", "epoch", TOTAL)
"""What changes: how often the schedule was stepped (under two names), and how often it will be."""

_LONGEST = 300  # letters
_MOST = 150  # parts
_CONSTANTS = {"pi": math.pi, "e": math.e}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "min": min,
    "max": max,
    "abs": abs,
    "sqrt": math.sqrt,
    "exp": math.exp,
    "log": math.log,
    "sin": math.sin,
    "cos": math.cos,
    "tanh": math.tanh,
    "floor": math.floor,
}
_OF_SEVERAL = ("min", "max")
_BUILT_IN = ("min", "max", "abs")
_OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


class Expression(NamedTuple):
    """An expression whose parts are all known."""

    tree: ast.expr

    @classmethod
    def of(cls, text: str) -> "Expression":
        """Return the expression of a text. Raises :class:`DiagnosticError` R436 with what cannot
        stand in one.
        """
        if len(text) > _LONGEST:
            raise _unknown(f"{text[:20]}…")
        try:
            tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise _unknown(text) from error
        parts = list(ast.walk(tree))
        if len(parts) > _MOST:
            raise _unknown(f"{text[:20]}…")
        _check(tree)
        return cls(tree)

    def value(self, step: int, total: int) -> float:
        """Return the value in a step. Raises :class:`ArithmeticError` where it has none that is
        finite and not negative.
        """
        try:
            found = _value(self.tree, {"step": step, "epoch": step, "total": total})
        except (ValueError, TypeError) as error:  # the root of a negative number
            raise ArithmeticError(str(error)) from error
        if isinstance(found, complex) or not math.isfinite(found) or found < 0:
            raise ArithmeticError(str(found))
        return float(found)

    @property
    def follows_length(self) -> bool:
        """Whether it asks how often the schedule will be stepped."""
        return any(isinstance(part, ast.Name) and part.id == TOTAL for part in ast.walk(self.tree))

    def source(self, total: str) -> str:
        """Return it as Python over ``step``; ``total`` is what stands for the length."""
        return ast.unparse(_Written(total).visit(ast.parse(ast.unparse(self.tree), mode="eval")))


def _check(node: ast.expr) -> None:
    """Refuse what is none of the known parts. Raises :class:`DiagnosticError` R436."""
    match node:
        case ast.Constant(value=bool() | str() | bytes() | complex() | None):
            raise _unknown(ast.unparse(node))
        case ast.Constant(value=int() | float() as value):
            if not abs(value) <= 1e15:
                raise _unknown(ast.unparse(node))
        case ast.Name(id=name) if name in NAMES or name in _CONSTANTS:
            pass
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=inner):
            _check(inner)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _OPERATORS:
            _check(left)
            _check(right)
        case ast.Compare(left=left, ops=[sign], comparators=[right]) if type(sign) in _OPERATORS:
            _check(left)
            _check(right)
        case ast.IfExp(test=test, body=body, orelse=other):
            for part in (test, body, other):
                _check(part)
        case ast.Call(func=ast.Name(id=name), args=[_, *_] as given, keywords=[]) if (
            name in _FUNCTIONS and (len(given) > 1) == (name in _OF_SEVERAL)
        ):
            for part in given:
                _check(part)
        case _:
            raise _unknown(ast.unparse(node))


def _value(node: ast.expr, names: dict[str, int]) -> float:
    match node:
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.Name(id=name):
            return float(names[name]) if name in names else _CONSTANTS[name]
        case ast.UnaryOp(op=sign, operand=inner):
            return _OPERATORS[type(sign)](_value(inner, names))
        case (
            ast.BinOp(left=left, op=sign, right=right)
            | ast.Compare(left=left, ops=[sign], comparators=[right])
        ):
            return _OPERATORS[type(sign)](_value(left, names), _value(right, names))
        case ast.IfExp(test=test, body=body, orelse=other):
            return _value(body if _value(test, names) else other, names)
        case ast.Call(func=ast.Name(id=name), args=given):
            return _FUNCTIONS[name](*(_value(part, names) for part in given))
        case _:
            raise TypeError(type(node).__name__)


class _Written(ast.NodeTransformer):
    """Names as an exported script has them."""

    def __init__(self, total: str) -> None:
        self._total = ast.parse(total, mode="eval").body

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Return what stands for a name."""
        if node.id == TOTAL:
            return self._total
        if node.id == "epoch":
            return ast.Name("step")
        is_math = node.id in _CONSTANTS or (node.id in _FUNCTIONS and node.id not in _BUILT_IN)
        return ast.Attribute(ast.Name("math"), node.id) if is_math else node

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        """Return a number as it is computed with here."""
        return ast.Constant(float(node.value)) if isinstance(node.value, int) else node


def _unknown(part: str) -> DiagnosticError:
    return DiagnosticError(
        Diagnostic.of(
            "R436",
            part=part[:60],
            functions=", ".join(_FUNCTIONS),
            names=", ".join((*NAMES, *_CONSTANTS)),
        )
    )
