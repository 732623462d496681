"""Weights of samples in a loss: the mean of what each sample costs times its weight.

That is ``(loss * weight).mean()``, what Keras calls ``sample_weight``: weights are taken as they
are, and a batch counts by its number of samples, also among those of a step and over processes.
"""

import copy

from torch import Tensor, nn

from engine.diagnostics import DiagnosticError
from engine.spec.sample_weight import WEIGHT_FIELD, can_weigh


class WeighedLoss:
    """A loss of PyTorch whose samples count by weights. ``name`` is what it is called, ``field``
    where it stands in the recipe.

    Raises :class:`DiagnosticError` R524 for one that does not tell what each sample costs.
    """

    def __init__(self, module: nn.Module, name: str, field: str) -> None:
        self._name, self._field = name, field
        if not can_weigh(name):
            raise self._refusal()
        self._module = module
        self._each = copy.copy(module)  # shares the weights of classes
        self._each.reduction = "none"  # pyright: ignore[reportArgumentType] - no tensor

    def __call__(self, arguments: list[Tensor], weights: Tensor) -> Tensor:
        """Return the loss, a scalar; ``weights`` are (samples,). Where PyTorch's mean divides by
        the weights of the classes, or leaves out elements, so does this one.

        Raises :class:`DiagnosticError` R524 where the loss has no value for each sample.
        """
        values: Tensor = self._each(*arguments)
        if not values.ndim or len(values) != len(weights):
            raise self._refusal()
        values = values * weights.reshape(-1, *[1] * (values.ndim - 1))
        if self._module.reduction == "sum":
            return values.sum()
        if self._module.reduction == "batchmean":
            return values.sum() / len(values)
        divisor = _divisor(self._module, arguments)
        return values.mean() if divisor is None else values.sum() / divisor

    def _refusal(self) -> DiagnosticError:
        return DiagnosticError.of("R524", field=self._field, loss=self._name, weight=WEIGHT_FIELD)


def _divisor(module: nn.Module, arguments: list[Tensor]) -> Tensor | None:
    """Return what the mean of a loss of class numbers divides by; None: by all elements."""
    if not isinstance(module, nn.CrossEntropyLoss | nn.NLLLoss) or len(arguments) < 2:
        return None
    target = arguments[1]
    if target.is_floating_point():
        return None
    is_counted = target != module.ignore_index
    if module.weight is None:
        return is_counted.sum()
    return (module.weight[target.where(is_counted, 0)] * is_counted).sum()
