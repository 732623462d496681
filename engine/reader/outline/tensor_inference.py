"""Tensor inference: whether an expression of a text gives a tensor, as far as its form tells."""

from collections.abc import Callable, Mapping
from typing import Any

import libcst as cst

from engine.reader.interpreter.value import Function, Later, Library, Ref

_FACTS = frozenset(
    {
        "shape",
        "device",
        "dtype",
        "ndim",
        "layout",
        "requires_grad",
        "is_cuda",
        "is_leaf",
        "itemsize",
    }
)
_ANSWERS = frozenset(
    {
        "size", "dim", "ndimension", "numel", "nelement", "item", "tolist", "stride", "type",
        "element_size", "is_contiguous", "is_floating_point", "is_complex", "get_device",
        "data_ptr", "storage_offset", "append", "extend", "keys", "values", "items", "index",
    }
)  # fmt: skip
_PLAIN_CALLS = frozenset(
    {
        "is_tensor", "numel", "is_floating_point", "is_complex", "equal", "allclose", "device",
        "Size", "Generator", "finfo", "iinfo", "manual_seed", "is_nonzero", "result_type",
        "promote_types", "can_cast", "broadcast_shapes", "get_default_dtype", "is_grad_enabled",
        "no_grad", "enable_grad", "set_grad_enabled", "inference_mode", "autocast",
        "pack_padded_sequence", "pack_sequence",
    }
)  # fmt: skip
_CARRIED = frozenset({"sum", "min", "max", "abs", "pow", "round"})


class TensorInference:
    """Tells tensors from numbers, lists and the like. ``evaluate`` gives what a name or an
    attribute of ``self`` stands for; ``are_tensors`` tells it of names that a statement gives
    a value itself.
    """

    def __init__(
        self, evaluate: Callable[[cst.BaseExpression], Any], are_tensors: Mapping[str, bool]
    ) -> None:
        self._evaluate = evaluate
        self._are_tensors = are_tensors

    def is_tensor(self, node: cst.BaseExpression) -> bool:  # noqa: PLR0911 - one case a form
        """Return whether an expression gives a tensor."""
        match node:
            case cst.Name() if node.value in self._are_tensors:
                return self._are_tensors[node.value]
            case cst.Name():
                return isinstance(self._evaluate(node), Ref)
            case cst.Attribute():
                return self._is_tensor_of(node)
            case cst.Call():
                return self._is_tensor_from(node)
            case cst.BinaryOperation():
                return self.is_tensor(node.left) or self.is_tensor(node.right)
            case cst.Comparison():
                others = [one for one in node.comparisons if not _is_test(one.operator)]
                return bool(others) and any(
                    self.is_tensor(one) for one in (node.left, *(o.comparator for o in others))
                )
            case cst.UnaryOperation():
                return not isinstance(node.operator, cst.Not) and self.is_tensor(node.expression)
            case cst.IfExp():
                return self.is_tensor(node.body) or self.is_tensor(node.orelse)
            case cst.BooleanOperation():
                return self.is_tensor(node.left) and self.is_tensor(node.right)
            case cst.Subscript():
                return self.is_tensor(node.value) or self.holds_tensors(node.value)
            case _:
                return False

    def _is_tensor_of(self, node: cst.Attribute) -> bool:
        if isinstance(node.value, cst.Name) and node.value.value == "self":
            return isinstance(self._evaluate(node), Ref)
        return node.attr.value not in _FACTS and self.is_tensor(node.value)

    def _is_tensor_from(self, node: cst.Call) -> bool:
        callee = node.func
        name = callee.attr.value if isinstance(callee, cst.Attribute) else ""
        if isinstance(callee, cst.Attribute) and self.is_tensor(callee.value):
            return name not in _ANSWERS
        value = self._evaluate(callee) if _is_path(callee) else None
        if isinstance(value, Library) and value.path.startswith("torch."):
            return value.path.rpartition(".")[2] not in _PLAIN_CALLS
        if isinstance(value, Library):
            given = [one.value for one in node.args]
            return value.path in _CARRIED and any(
                self.is_tensor(one) or self.holds_tensors(one) for one in given
            )
        if isinstance(value, Later):
            return any(self.is_tensor(one.value) for one in node.args)
        return isinstance(value, Function) or value is not None

    def holds_tensors(self, node: cst.BaseExpression) -> bool:
        """Return whether an expression gives tensors one by one."""
        match node:
            case cst.List() | cst.Tuple():
                return any(self.is_tensor(element.value) for element in node.elements)
            case cst.ListComp() | cst.GeneratorExp():
                return True
            case cst.Name() if node.value not in self._are_tensors:
                return _holds_tensors(self._evaluate(node))
            case cst.Call() if isinstance(node.func, cst.Attribute):
                return node.func.attr.value not in _ANSWERS and self.is_tensor(node.func.value)
            case _:
                return False


def _holds_tensors(value: Any) -> bool:
    if isinstance(value, Later):
        return value.holds_tensors
    return isinstance(value, list | tuple) and any(isinstance(one, Ref) for one in value)


def _is_test(operator: cst.BaseCompOp) -> bool:
    return isinstance(operator, cst.Is | cst.IsNot | cst.In | cst.NotIn)


def _is_path(node: cst.BaseExpression) -> bool:
    while isinstance(node, cst.Attribute):
        node = node.value
    return isinstance(node, cst.Name)
