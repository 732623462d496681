"""Expressions with which a tensor is changed by hand: ``x * 0.5``, ``zeros``, ``clamp(x, 0, 1)``.

Only the functions in :data:`FUNCTIONS`, numbers and ``x`` can be used: no other name is looked up
and no attribute is read, so that an expression can compute and do nothing else.
"""

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from engine.diagnostics import Diagnostic, DiagnosticError

FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    name: getattr(torch, name)
    for name in (
        "abs",
        "clamp",
        "cos",
        "exp",
        "flip",
        "log",
        "nan_to_num",
        "ones_like",
        "relu",
        "roll",
        "round",
        "sigmoid",
        "sign",
        "sin",
        "sqrt",
        "tanh",
        "zeros_like",
    )
}
_OPERATORS: Mapping[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
_LONGEST = 500


def changed(tensor: Tensor, expression: str, at: int | None = None) -> Tensor:
    """Return a tensor of the same shape, dtype and device: the expression of ``x``, which is
    ``tensor``; with ``at`` only the value at that flat index changes.

    Raises :class:`DiagnosticError` A010 when the expression cannot be computed or does not fit.
    """
    x = tensor.detach()
    try:
        tree = ast.parse(expression[:_LONGEST].strip(), mode="eval")
        result = torch.as_tensor(_value(tree.body, x))
        copy = x.clone(memory_format=torch.contiguous_format)  # so that ``view`` can flatten it
        if at is None:
            copy.copy_(result.expand_as(x))
        else:
            copy.view(-1)[at] = result.to(x.dtype)
    except (SyntaxError, ValueError, TypeError, ArithmeticError, RuntimeError, IndexError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        params: dict[str, str | int | float] = {"expression": expression, "reason": reason}
        problem = Diagnostic(code="A010", params=params)
        raise DiagnosticError(problem) from error
    return copy


def _value(tree: ast.expr, x: Tensor) -> Any:  # noqa: PLR0911 - one case a form
    match tree:
        case ast.Constant(value=bool() | int() | float() as number):
            return number
        case ast.Name(id="x"):
            return x
        case ast.Name(id="nan" | "inf" as name):
            return float(name)
        case ast.UnaryOp(op=sign, operand=operand) if type(sign) in _OPERATORS:
            return _OPERATORS[type(sign)](_value(operand, x))
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _OPERATORS:
            return _OPERATORS[type(sign)](_tensor(left, x), _value(right, x))
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return [_value(part, x) for part in parts]
        case ast.Call(func=ast.Name(id=name), args=parts, keywords=[]) if name in FUNCTIONS:
            return FUNCTIONS[name](*[_value(part, x) for part in parts])
        case _:
            message = f"{ast.unparse(tree)} cannot be used here"
            raise ValueError(message)


def _tensor(tree: ast.expr, x: Tensor) -> Any:
    """Return a value to compute with: numbers as tensors, so that none grows without end."""
    value = _value(tree, x)
    return torch.tensor(value, device=x.device) if isinstance(value, int | float | list) else value
