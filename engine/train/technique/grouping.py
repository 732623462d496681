"""Parameter groups of an optimizer: those of the user, divided by weight decay and by depth."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from torch import nn

from engine.graph.depth import weight_depths
from engine.graph.model import Graph
from engine.spec.group import group_of
from engine.spec.run import ParameterGroup, RunSpec
from engine.spec.trained_group import TrainedGroup
from engine.train.technique.penalty import MATRIX

NORMS = (nn.LayerNorm, nn.RMSNorm)
"""The norms whose weights can have several axes."""


@dataclass(frozen=True)
class Grouping:
    """What divides the groups of a model: ``skips_small`` leaves biases and norms out of weight
    decay; ``decay`` is the factor of the learning rate from one level to the one before it, whose
    ``depths`` are those of the weights by name.
    """

    skips_small: bool = False
    decay: float = 1.0
    depths: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, spec: RunSpec, graph: Graph, model: nn.Module) -> "Grouping":
        """Return the grouping of a run of a model."""
        decay, depths = spec.layer_rates.decay, dict[str, int]()
        if spec.layer_rates.is_on:
            shapes = {name: tuple(weight.shape) for name, weight in model.named_parameters()}
            depths = weight_depths(graph, shapes)
        return cls(spec.no_decay.biases_and_norms, decay, depths)

    @property
    def is_on(self) -> bool:
        """Whether anything is divided."""
        return self.skips_small or bool(self.depths)


UNDIVIDED = Grouping()


@dataclass
class Member:
    """A group with its weights by name."""

    group: TrainedGroup
    weights: dict[str, nn.Parameter] = field(default_factory=dict)


def divided(
    model: nn.Module,
    groups: Sequence[ParameterGroup],
    grouping: Grouping = UNDIVIDED,
    names: frozenset[str] | None = None,
) -> list[Member]:
    """Return the groups of the parameters that are not frozen, or those of them that have one of
    the ``names``. First come the rest and the groups of the user, also where nothing is left for
    them; then those of deeper levels; and in the end those that do not decay and learn like one of
    these.
    """
    small = _small_weights(model) if grouping.skips_small else frozenset[str]()
    found = {(number, 0, True): Member(TrainedGroup(number=number)) for number in _numbers(groups)}
    for name, weight in model.named_parameters():
        if not weight.requires_grad or (names is not None and name not in names):
            continue
        number, depth = group_of(tuple(groups), name), grouping.depths.get(name, 0)
        key = (number, depth, name not in small)
        if key not in found:
            group = TrainedGroup(number=number, depth=depth, decays=key[2])
            found[key] = Member(group)
        found[key].weights[name] = weight
    ordered = sorted(found, key=lambda key: (_is_twin(key, found), key[1] > 0, *key[:2]))
    return [_counted(found[key], grouping) for key in ordered]


def _numbers(groups: Sequence[ParameterGroup]) -> range:
    return range(len(groups) + 1)


def _is_twin(key: tuple[int, int, bool], found: dict[tuple[int, int, bool], Member]) -> bool:
    """Return whether another group has the same learning rate."""
    return not key[2] and (*key[:2], True) in found


def _counted(member: Member, grouping: Grouping) -> Member:
    group, weights = member.group, member.weights
    owners = dict.fromkeys(_owner(name) or name for name in weights)
    parts = [each for each in owners if not any(each.startswith(f"{one}.") for one in owners)]
    counted = TrainedGroup(
        number=group.number,
        depth=group.depth,
        decays=group.decays,
        tensors=len(weights),
        parameters=sum(weight.numel() for weight in weights.values()),
        parts=tuple(parts),
        ratio=grouping.decay**group.depth,
    )
    return Member(counted, weights)


def _small_weights(model: nn.Module) -> frozenset[str]:
    """Return the names of biases, of weights with one axis, and of those of norms."""
    modules = dict(model.named_modules())
    return frozenset(
        name
        for name, weight in model.named_parameters()
        if weight.ndim < MATRIX or is_bias(name) or isinstance(modules[_owner(name)], NORMS)
    )


def is_bias(name: str) -> bool:
    """Return whether a parameter is called a bias (``bias``, ``bias_ih_l0``)."""
    return name.rpartition(".")[2].startswith("bias")


def _owner(name: str) -> str:
    return name.rpartition(".")[0]


def settings(
    member: Member, groups: Sequence[ParameterGroup], rate: float | None
) -> dict[str, Any]:
    """Return the settings that a group has of its own; ``rate`` is that of the optimizer."""
    group = member.group
    params: dict[str, Any] = dict(groups[group.number - 1].params) if group.number else {}
    own = params.get("lr", rate)
    if group.depth and isinstance(own, int | float):
        params["lr"] = own * group.ratio
    if not group.decays:
        params["weight_decay"] = 0.0
    return params
