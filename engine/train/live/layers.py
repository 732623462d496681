"""Layers of a model that is training, changed by name: their dropout, and whether they learn."""

from collections.abc import Callable, Iterator

from torch import nn
from torch.nn.modules.batchnorm import _BatchNorm  # pyright: ignore[reportPrivateUsage] - the base of all
from torch.nn.modules.dropout import _DropoutNd  # pyright: ignore[reportPrivateUsage] - the base of all

from engine.diagnostics import DiagnosticError
from engine.spec.group import fits

_HELD = "train"  # the method that an attribute of a frozen norm hides


def dropouts(model: nn.Module, match: str) -> list[tuple[nn.Module, str]]:
    """Return what drops values in the layers that a name or pattern stands for (all of a model
    where it is empty), as modules with the name of the attribute that has the probability.

    Raises :class:`DiagnosticError` R473 where there is none.
    """
    found = [
        (module, attribute)
        for name, module in model.named_modules()
        if not match or name == match or fits(match, name)
        for attribute in _drop_attribute(module)
    ]
    if not found:
        raise DiagnosticError.of("R473", name=match or "model")
    return found


def _drop_attribute(module: nn.Module) -> Iterator[str]:
    if isinstance(module, _DropoutNd):
        yield "p"
    elif isinstance(module, nn.RNNBase | nn.MultiheadAttention):
        yield "dropout"


def drop_of(model: nn.Module, match: str) -> float:
    """Return the probability of the first of the layers. Raises as :func:`dropouts`."""
    module, attribute = dropouts(model, match)[0]
    return float(getattr(module, attribute))


def set_drop(model: nn.Module, match: str, probability: float) -> None:
    """Set the probability of all the layers. Raises as :func:`dropouts`."""
    for module, attribute in dropouts(model, match):
        setattr(module, attribute, probability)


def weights_in(model: nn.Module, match: str) -> dict[str, nn.Parameter]:
    """Return the parameters of the layers that a name or pattern stands for.

    Raises :class:`DiagnosticError` R473 where there is none.
    """
    found = {
        name: weight
        for name, weight in model.named_parameters()
        if not match or name == match or fits(match, name)
    }
    if not found:
        raise DiagnosticError.of("R473", name=match or "model")
    return found


def hold_statistics(model: nn.Module, is_frozen: Callable[[str], bool]) -> None:
    """Keep the batch norms whose parameters are frozen in evaluation, so that their running
    statistics stay too; the others follow the model again. One without parameters follows it.
    """
    for name, module in model.named_modules():
        if not isinstance(module, _BatchNorm):
            continue
        own = [f"{name}.{each}" for each, _ in module.named_parameters(recurse=False)]
        is_held = bool(own) and all(map(is_frozen, own))
        if is_held and _HELD not in module.__dict__:
            module.eval()
            module.__dict__[_HELD] = _Stay(module)
        elif not is_held and _HELD in module.__dict__:
            del module.__dict__[_HELD]
            module.train(model.training)


class _Stay:
    """The ``train`` of a module that stays as it is. It holds the module by a copy's own way: a
    model that is copied must not lead back to this one.
    """

    def __init__(self, module: nn.Module) -> None:
        self._module = module

    def __call__(self, mode: bool = True) -> nn.Module:
        del mode
        return self._module
