"""Optimizer of a run, and changes of its learning rate while it goes on."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn
from torch.optim import LBFGS, Optimizer, Rprop

from engine.catalog.spec import EntryGroup, Need
from engine.diagnostics import DiagnosticError
from engine.spec.choice import chosen_entry, has_need
from engine.spec.group import fits, patterns
from engine.spec.run import Choice, ParameterGroup
from engine.spec.trained_group import TrainedGroup
from engine.train.choice import arguments, chosen_class
from engine.train.technique.grouping import UNDIVIDED, Grouping, Member, divided, settings

_SCALED_KEYS = ("initial_lr", "max_lr", "min_lr")
_RATE_KEYS = ("lr", *_SCALED_KEYS, "swa_lr")


def build_optimizer(
    choice: Choice,
    model: nn.Module,
    groups: Sequence[ParameterGroup] = (),
    grouping: Grouping = UNDIVIDED,
    names: frozenset[str] | None = None,
) -> Optimizer:
    """Return the chosen optimizer over the parameters of a model that are not frozen, or those of
    them that have one of the ``names``.

    With ``groups`` its first group is the rest, with the settings of the choice, also where nothing
    is left for it; the others follow in their order, and what ``grouping`` divides them into.

    Raises :class:`DiagnosticError` R115 (nothing to train), R116 (Muon takes matrices only), R056
    (a group that names no parameter), R059 (no groups with this optimizer) or R117 (refused by
    PyTorch).
    """
    named = dict(model.named_parameters())
    parameters = {
        name: weight
        for name, weight in named.items()
        if weight.requires_grad and (names is None or name in names)
    }
    if not parameters:
        raise DiagnosticError.of("R115")
    _check_groups(choice, groups, list(named))
    if choice.type == "Muon":
        _require_matrices(parameters)
    if not groups and not grouping.is_on:
        return _built(choice, parameters.values())
    _check_method(choice, grouping.is_on, "optimizer")
    members = divided(model, groups, grouping, names)
    return _built(choice, parameter_groups(choice, members, groups))


def parameter_groups(
    choice: Choice, members: Sequence[Member], groups: Sequence[ParameterGroup]
) -> list[dict[str, Any]]:
    """Return the groups as PyTorch takes them."""
    entry = chosen_entry(EntryGroup.OPTIMIZER, choice)
    assert entry is not None  # an optimizer is made of it
    rate = entry.value(choice.params, "lr")
    number = float(rate) if isinstance(rate, int | float) else None
    found: list[dict[str, Any]] = []
    for member in members:
        params = settings(member, groups, number)
        if entry.param("weight_decay") is None:
            params.pop("weight_decay", None)
        found.append({"params": list(member.weights.values()), **params})
    return found


def rates_only(
    choice: Choice, groups: Sequence[ParameterGroup], divided_into: Sequence[TrainedGroup] = ()
) -> Optimizer:
    """Return the chosen optimizer with a single weight in each of its groups: all that learning
    rates and schedules depend on. ``divided_into`` are the groups where layers have rates of their
    own. Raises :class:`DiagnosticError` R059 or R117.
    """
    _check_method(choice, bool(groups or divided_into), "groups.0.match")
    wanted = divided_into or [TrainedGroup(number=number) for number in range(len(groups) + 1)]
    members = [Member(group, {"": nn.Parameter(torch.zeros(1, 1))}) for group in wanted]
    return _built(choice, parameter_groups(choice, members, groups))


def _built(choice: Choice, parameters: Any) -> Optimizer:
    optimizer_class = chosen_class(EntryGroup.OPTIMIZER, choice, torch.optim)
    try:
        return optimizer_class(parameters, **arguments(EntryGroup.OPTIMIZER, choice))
    except (TypeError, ValueError, RuntimeError) as error:
        raise DiagnosticError.of(
            "R117", field="optimizer", detail=str(error), name=choice.type
        ) from error


def needs_closure(optimizer: Optimizer) -> bool:
    """Return whether a step evaluates the loss several times (LBFGS)."""
    return isinstance(optimizer, LBFGS)


def clear_gradients(optimizer: Optimizer) -> None:
    """Do what ``zero_grad`` does, without the entry for the profiler: in a small model that entry
    takes as long as one of its layers.
    """
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            parameter.grad = None


def learning_rates(optimizer: Optimizer) -> list[float]:
    """Return the learning rate of each parameter group."""
    return [float(group["lr"]) for group in optimizer.param_groups]


def rate_ratios(optimizer: Optimizer) -> list[float]:
    """Return how the learning rates of the groups stand to that of the first one."""
    first, *others = learning_rates(optimizer)
    return [1.0, *(rate / first if first > 0 else 1.0 for rate in others)]


def set_learning_rate(
    optimizer: Optimizer, rate: float, ratios: Sequence[float] | None = None
) -> None:
    """Set the learning rate of the first group; the others keep their ratio to it (as it is now, or
    as given). What a schedule starts from is scaled along with it.
    """
    ratios = rate_ratios(optimizer) if ratios is None else ratios
    for group, ratio in zip(optimizer.param_groups, ratios, strict=True):
        old = float(group["lr"])
        group["lr"] = rate * ratio
        scale_start(group, old)


def scale_start(group: dict[str, Any], old: float) -> None:
    """Scale what a schedule starts from in a group whose learning rate was ``old``."""
    if old > 0:
        for key in _SCALED_KEYS:
            if key in group:
                group[key] *= group["lr"] / old


def scale_learning_rates(optimizer: Optimizer, factor: float) -> None:
    """Multiply the learning rate of each group, and what a schedule makes it of. That of Rprop is
    only where the step of each weight begins: those that it has come to are multiplied.
    """
    for group in optimizer.param_groups:
        for key in _RATE_KEYS:
            if key in group:
                group[key] *= factor
    if isinstance(optimizer, Rprop):
        for state in optimizer.state.values():
            state["step_size"] *= factor


def _check_method(choice: Choice, is_divided: bool, field: str) -> None:
    if is_divided and has_need(EntryGroup.OPTIMIZER, choice, Need.CLOSURE):
        raise DiagnosticError.of("R059", field=field, optimizer=choice.type)


def _check_groups(choice: Choice, groups: Sequence[ParameterGroup], names: list[str]) -> None:
    _check_method(choice, bool(groups), "groups.0.match")
    for index, group in enumerate(groups):
        for pattern in patterns(group.match):
            if not any(fits(pattern, name) for name in names):
                raise DiagnosticError.of("R056", field=f"groups.{index}.match", match=pattern)


def _require_matrices(parameters: dict[str, nn.Parameter]) -> None:
    others = [name for name, parameter in parameters.items() if parameter.ndim != 2]
    if others:
        raise DiagnosticError.of("R116", field="optimizer", count=len(others), first=others[0])
