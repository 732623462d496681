"""The optimizer of a run, and changes to its learning rate while it goes on."""

import torch
from torch import nn
from torch.optim import LBFGS, Optimizer

from engine.catalog.spec import EntryGroup
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.spec.run import Choice
from engine.train.offer import arguments, chosen_class

_SCALED_KEYS = ("initial_lr", "max_lr", "min_lr")


def build_optimizer(choice: Choice, model: nn.Module) -> Optimizer:
    """Return the chosen optimizer over all parameters of a model.

    Raises :class:`DiagnosticError` R115 (nothing to train), R116 (Muon takes matrices only) or
    R117 (refused by PyTorch).
    """
    parameters = dict(model.named_parameters())
    if not parameters:
        raise DiagnosticError(Diagnostic(code="R115"))
    optimizer_class = chosen_class(EntryGroup.OPTIMIZER, choice, torch.optim)
    if choice.type == "Muon":
        _require_matrices(parameters)
    try:
        return optimizer_class(parameters.values(), **arguments(EntryGroup.OPTIMIZER, choice))
    except (TypeError, ValueError, RuntimeError) as error:
        problem = Diagnostic(
            code="R117", field="optimizer", params={"name": choice.type}, detail=str(error)
        )
        raise DiagnosticError(problem) from error


def needs_closure(optimizer: Optimizer) -> bool:
    """Return whether a step evaluates the loss several times (LBFGS)."""
    return isinstance(optimizer, LBFGS)


def learning_rates(optimizer: Optimizer) -> list[float]:
    """Return the learning rate of each parameter group."""
    return [float(group["lr"]) for group in optimizer.param_groups]


def set_learning_rate(optimizer: Optimizer, rate: float) -> None:
    """Set the learning rate of all groups; what a schedule starts from is scaled along with it."""
    for group in optimizer.param_groups:
        old = float(group["lr"])
        group["lr"] = rate
        if old > 0:
            for key in _SCALED_KEYS:
                if key in group:
                    group[key] *= rate / old


def _require_matrices(parameters: dict[str, nn.Parameter]) -> None:
    others = [name for name, parameter in parameters.items() if parameter.ndim != 2]
    if others:
        problem = Diagnostic(
            code="R116",
            field="optimizer",
            node=None,
            params={"count": len(others), "first": others[0]},
        )
        raise DiagnosticError(problem)
