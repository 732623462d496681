"""Explanations of broadcasting, of einsum with its letters, and of what an index takes.

All shapes and values come from PyTorch, which is asked with the tensors of the code.
"""

import torch
from torch import Tensor

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.graph.einsum import equation_fault, read_equation
from engine.inspect.explanation import explain
from engine.query.lab.request import (
    AskBroadcast,
    AskEinsum,
    AskIndex,
    Axis,
    BroadcastReport,
    EinsumReport,
    IndexReport,
    Operand,
)
from engine.query.lab.statement import Namespace, value_of
from engine.query.lab.tensor import text_of, texts

_MOST = 256  # elements that are drawn
_ELLIPSIS = "..."


def ask_broadcast(command: AskBroadcast, namespace: Namespace) -> BroadcastReport:
    """Return two shapes under each other and what PyTorch makes of them."""
    try:
        left, right = _shape(command.left, namespace), _shape(command.right, namespace)
    except DiagnosticError as error:
        return BroadcastReport(left=(), right=(), axes=(), problem=error.problems[0])
    rank = max(len(left), len(right))
    pairs = zip(_padded(left, rank), _padded(right, rank), strict=True)
    axes = tuple(Axis(left=one, right=two, result=_axis(one, two)) for one, two in pairs)
    problem = None
    try:
        torch.broadcast_shapes(left, right)
    except RuntimeError as error:
        bad = next(axis for axis in reversed(axes) if axis.result < 0)
        problem = Diagnostic(
            code="L051", params={"left": bad.left, "right": bad.right}, detail=str(error)
        )
    return BroadcastReport(left=left, right=right, axes=axes, problem=problem)


def _shape(expression: str, namespace: Namespace) -> tuple[int, ...]:
    value = value_of(expression, namespace)
    if isinstance(value, Tensor):
        return tuple(value.shape)
    sizes = (value,) if isinstance(value, int) else value
    is_shape = isinstance(sizes, tuple | list) and all(
        isinstance(size, int) and not isinstance(size, bool) and 0 <= size < 2**31 for size in sizes
    )
    if not is_shape:
        raise DiagnosticError.of("L052", text=expression)
    return tuple(sizes)


def _padded(shape: tuple[int, ...], rank: int) -> tuple[int, ...]:
    return (*[-1] * (rank - len(shape)), *shape)


def _axis(left: int, right: int) -> int:
    if -1 in (left, right):
        return max(left, right)
    try:
        return torch.broadcast_shapes((left,), (right,))[0]
    except RuntimeError:
        return -1


def ask_einsum(command: AskEinsum, namespace: Namespace) -> EinsumReport:
    """Return the letters of each operand and what ``torch.einsum`` gives."""
    try:
        given = value_of(f"({command.operands},)", namespace)
        tensors = [each for each in given if isinstance(each, Tensor)]
        if len(tensors) != len(given):
            raise DiagnosticError.of("L053", text=command.operands)
    except DiagnosticError as error:
        return EinsumReport(problem=error.problems[0])
    equation = command.equation
    problem = equation_fault(equation, [tuple(each.shape) for each in tensors])
    subscripts = read_equation(equation)
    if problem is not None or subscripts is None:
        return EinsumReport(problem=problem)
    try:
        result = torch.einsum(equation, *tensors)
    except (RuntimeError, ValueError) as error:
        return EinsumReport(problem=explain(error))
    names = [each.strip() for each in command.operands.split(",")]
    is_named = len(names) == len(tensors)
    operands = tuple(
        _operand(names[index] if is_named else str(index + 1), letters, tensor)
        for index, (letters, tensor) in enumerate(zip(subscripts.operands, tensors, strict=True))
    )
    made = _operand("", subscripts.result, result)
    letters = dict.fromkeys(letter for each in operands for letter in each.letters)
    summed = tuple(letter for letter in letters if letter not in made.letters)
    return EinsumReport(operands=operands, result=made, summed=summed, text=text_of(result))


def _operand(name: str, letters: str, tensor: Tensor) -> Operand:
    leading, dots, after = letters.partition(_ELLIPSIS)
    more = tensor.dim() - len(leading) - len(after) if dots else 0
    return Operand(
        name=name,
        letters=(*leading, *["…"] * more, *after),
        shape=tuple(tensor.shape),
    )


def ask_index(command: AskIndex, namespace: Namespace) -> IndexReport:
    """Return which elements an index takes: the positions are indexed just as the tensor is."""
    try:
        tensor = value_of(command.tensor, namespace)
        if not isinstance(tensor, Tensor):
            raise DiagnosticError.of("L053", text=command.tensor)
        if not 0 < tensor.numel() <= _MOST:
            raise DiagnosticError.of("L054", count=tensor.numel(), most=_MOST)
        inside = {**namespace, "__tensor__": tensor.detach()}
        taken = value_of(f"__tensor__[{command.index}]", inside)
        positions = torch.arange(tensor.numel()).reshape(tensor.shape)
        chosen = value_of(f"__tensor__[{command.index}]", {**inside, "__tensor__": positions})
    except DiagnosticError as error:
        return IndexReport(problem=error.problems[0])
    pointer = tensor.untyped_storage().data_ptr()
    return IndexReport(
        shape=tuple(tensor.shape),
        values=texts(tensor),
        result_shape=tuple(taken.shape),
        result_values=texts(taken)[:_MOST],
        chosen=tuple(chosen.flatten().tolist())[:_MOST],
        is_view=taken.untyped_storage().data_ptr() == pointer,
    )
