"""Settings of a run that goes on: as they are now, and how a change takes effect between two steps.

A change is applied in every process of a run alike. What the states of optimizer, schedule and
techniques do not hold is in :meth:`LiveSettings.state_dict`, the names and values that were set, in
the order in which they were set last; a resume applies these before it loads the other states.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import nn
from torch.optim import Optimizer, RMSprop

from engine.catalog.spec import AUTO, EntryGroup
from engine.diagnostics import DiagnosticError
from engine.spec.choice import NO_CODE, Code, chosen_entry
from engine.spec.fields import get_value
from engine.spec.live import (
    DROPOUT,
    FROZEN,
    LayerSetting,
    LiveValue,
    as_number,
    changed,
    layer_name,
    layer_setting,
    live_value,
    phase_setting,
)
from engine.spec.phase import phase_list, recipe_of, turns
from engine.spec.run import RunSpec
from engine.train.live.layers import drop_of, hold_statistics, set_drop, weights_in
from engine.train.losses import LossTerms
from engine.train.optim import learning_rates, needs_closure, rates_only
from engine.train.phase import Phase, Phases, names_of_phases
from engine.train.technique.base import Technique
from engine.train.technique.grouping import Grouping, Member, divided
from engine.train.technique.registry import configure_techniques

_RATE, _DECAY = "lr", "weight_decay"
_BUFFER = "momentum_buffer"


@dataclass(frozen=True, kw_only=True)
class LiveParts:
    """What changes of a run: the parts of its training, in the process that has them;
    ``groupings`` say how the parameters of each phase are divided.
    """

    model: nn.Module
    phases: Phases
    loss: LossTerms
    techniques: dict[str, Technique]
    groupings: tuple[Grouping, ...]
    processes: int = 1


class LiveSettings:
    """The specification of a run with all that was changed since, and its layers."""

    def __init__(self, spec: RunSpec, parts: LiveParts, code: Code = NO_CODE) -> None:
        self.spec = spec
        self._parts = parts
        self._code = code
        self._set: dict[str, LiveValue] = {}
        self._frozen: frozenset[str] = frozenset()  # the parameters that were frozen meanwhile
        held = {id(weight) for phase in parts.phases.all for weight in phase.weights}
        self._trained = {name for name, one in parts.model.named_parameters() if id(one) in held}

    def value(self, name: str) -> LiveValue:
        """Return what a setting is now. Raises :class:`DiagnosticError` where there is none."""
        layers = layer_setting(name)
        if layers is None:
            index, own = phase_setting(name)
            if own == "optimizer.lr" and index < len(self._parts.phases.all):
                return learning_rates(self._parts.phases.all[index].optimizer)[0]
            return live_value(get_value(self.spec, name, self._code))
        if layers.what == DROPOUT:
            return drop_of(self._parts.model, layers.match)
        names = weights_in(self._parts.model, layers.match)
        return all(name in self._frozen or name not in self._trained for name in names)

    def change(self, name: str, value: LiveValue) -> None:
        """Change a setting. Raises :class:`DiagnosticError` with why it cannot be; then everything
        is as it was.
        """
        layers = layer_setting(name)
        if layers is not None and layers.what == FROZEN and value is True:
            self._require_trained(layers)
        self._change(name, value)

    def _change(self, name: str, value: LiveValue) -> None:
        layers = layer_setting(name)
        if layers is None:
            self._set_spec(name, value)
        elif layers.what == DROPOUT:
            self._set_drop(layers, value)
        else:
            self._set_frozen(name, layers, value)
        self._set.pop(name, None)
        self._set[name] = value

    def state_dict(self) -> dict[str, LiveValue]:
        """Return what was set, by name."""
        return dict(self._set)

    def load_state_dict(self, state: Mapping[str, LiveValue]) -> None:
        """Apply what was set, but for what the states of optimizer and schedule have, which are
        loaded after this. Raises :class:`ValueError` where that cannot be.
        """
        for name, value in state.items():
            try:
                self._change(name, value)
            except DiagnosticError as error:
                raise ValueError(name) from error

    def hold_frozen(self) -> None:
        """Freeze again what was frozen meanwhile, after a technique let parameters be trained."""
        if self._parts.processes > 1:
            return
        named = dict(self._parts.model.named_parameters()) if self._frozen else {}
        frozen = [weight for name, weight in named.items() if name in self._frozen]
        for weight in frozen:
            weight.requires_grad_(False)  # noqa: FBT003 - as PyTorch has it
        techniques = self._parts.techniques.values()
        held = (weight for technique in techniques for weight in technique.held_back())
        self._parts.phases.hold((*frozen, *held))

    def drop_frozen_gradients(self) -> None:
        """Drop the gradients of what is frozen, where several processes compute them: they were
        told at the start for which parameters to wait.
        """
        if self._frozen and self._parts.processes > 1:
            for name, weight in self._parts.model.named_parameters():
                if name in self._frozen:
                    weight.grad = None

    def _set_spec(self, name: str, value: LiveValue) -> None:
        new = changed(self.spec, name, value, self._code)
        index, own = phase_setting(name)
        first, _, param = own.rpartition(".")
        is_of_optimizer = first.partition(".")[0] in ("optimizer", "groups")
        if is_of_optimizer:
            if param == _RATE:
                _require_rate(name, value)
            recipe = recipe_of(new, index)
            rates_only(recipe.optimizer, recipe.groups)  # what PyTorch says of these
        before, self.spec = self.spec, new
        if is_of_optimizer and param == _RATE:
            self._set_rate(self._parts.phases.all[index], first, value)
        elif is_of_optimizer:
            self._set_of_groups(index, param)
        elif first.startswith("losses"):
            self._parts.loss.reweigh([term.weight for term in new.losses])
        else:
            try:
                configure_techniques(self._parts.techniques, new, self._parts.model)
            except DiagnosticError:
                self.spec = before
                raise

    def _set_rate(self, phase: Phase, section: str, value: LiveValue) -> None:
        """Set the rate of the optimizer, which those of the groups follow, or of one group."""
        if section == "optimizer":
            assert isinstance(value, float)
            phase.schedule.set_learning_rate(value)
            return
        number = int(section.rpartition(".")[2]) + 1
        rate = learning_rates(phase.optimizer)[0] if value == AUTO else value
        assert isinstance(rate, float)
        rates = {
            index: rate * group.ratio
            for index, group in enumerate(phase.groups)
            if group.number == number
        }
        phase.schedule.set_group_rates(rates)

    def _set_of_groups(self, phase: int, param: str) -> None:
        """Give each group of a phase its value of a setting as it is now."""
        recipe = recipe_of(self.spec, phase)
        entry = chosen_entry(EntryGroup.OPTIMIZER, recipe.optimizer)
        assert entry is not None
        whole = entry.value(recipe.optimizer.params, param)
        optimizer, groups = (
            self._parts.phases.all[phase].optimizer,
            self._parts.phases.all[phase].groups,
        )
        for group, trained in zip(optimizer.param_groups, groups, strict=True):
            own = recipe.groups[trained.number - 1].params if trained.number else {}
            value = own.get(param, whole)
            group[param] = 0.0 if param == _DECAY and not trained.decays else value
            if param == "momentum" and isinstance(optimizer, RMSprop) and value:
                _add_buffers(optimizer, group["params"])

    def _set_drop(self, layers: LayerSetting, value: LiveValue) -> None:
        wanted = as_number(value)
        if wanted is None or not 0 <= wanted <= 1:
            name = layer_name(layers.match, DROPOUT)
            raise DiagnosticError.of("R130", field=name[:100], name=name[:100], value=str(value))
        set_drop(self._parts.model, layers.match, wanted)

    def _set_frozen(self, name: str, layers: LayerSetting, value: LiveValue) -> None:
        if not isinstance(value, bool):
            raise DiagnosticError.of("R130", field=name[:100], name=name[:100], value=str(value))
        if needs_closure(
            self._parts.phases.first.optimizer
        ):  # its history would move frozen weights on
            raise DiagnosticError.of("R494", name=layers.match or "model")
        model = self._parts.model
        weights = weights_in(model, layers.match)
        frozen = self._frozen | weights.keys() if value else self._frozen - weights.keys()
        if value and not self._trained - frozen:
            raise DiagnosticError.of("R496", name=layers.match or "model")
        joining = set() if value else weights.keys() - self._trained
        if joining:
            self._add(joining, layers.match)
        self._frozen = frozen & self._trained
        if self._parts.processes == 1:
            for each, weight in model.named_parameters():
                weight.requires_grad_(each in self._trained and each not in self._frozen)
        self.hold_frozen()
        hold_statistics(model, self._frozen.__contains__)

    def _require_trained(self, layers: LayerSetting) -> None:
        """Raise R571 where a phase that has not ended would train nothing with layers frozen."""
        phases, rules = self._parts.phases, phase_list(self.spec)
        frozen = self._frozen | weights_in(self._parts.model, layers.match).keys()
        named = self._parts.model.named_parameters()
        trained = {id(weight) for name, weight in named if name not in frozen}
        for turn in turns(self.spec) if len(phases.all) > 1 else ():
            working = [phases.all[index] for index in turn.phases]
            is_over = any(0 < rules[index].end <= phases.epoch for index in turn.phases)
            if not is_over and not any(id(w) in trained for each in working for w in each.weights):
                name = " + ".join(each.name for each in working)
                raise DiagnosticError.of("R571", name=layers.match or "model", phase=name)

    def _add(self, names: set[str], match: str) -> None:
        """Have the optimizers train parameters that were frozen when the run began, in the order
        that they would have been made with.
        """
        parts = self._parts
        if parts.processes > 1:
            raise DiagnosticError.of("R494", name=match or "model")
        model, wanted = parts.model, self._trained | names
        was = {name: weight.requires_grad for name, weight in model.named_parameters()}
        for name, weight in model.named_parameters():
            weight.requires_grad_(name in wanted)
        divisions = list(self._divisions())
        for name, weight in model.named_parameters():
            weight.requires_grad_(was[name])
        for phase, members in zip(parts.phases.all, divisions, strict=True):
            keys = [(one.group.number, one.group.depth, one.group.decays) for one in members]
            if keys != [(one.number, one.depth, one.decays) for one in phase.groups]:
                raise DiagnosticError.of("R494", name=match or "model")
        for phase, members in zip(parts.phases.all, divisions, strict=True):
            for group, member in zip(phase.optimizer.param_groups, members, strict=True):
                group["params"] = list(member.weights.values())
        parts.phases.retrain([[w for m in each for w in m.weights.values()] for each in divisions])
        self._trained = wanted

    def _divisions(self) -> Iterator[list[Member]]:
        """Yield how the parameters of each phase are divided that require gradients now."""
        parts = self._parts
        for index, names in enumerate(names_of_phases(self.spec, parts.model)):
            groups = recipe_of(self.spec, index).groups
            yield divided(parts.model, groups, parts.groupings[index], names)


def _require_rate(name: str, value: LiveValue) -> None:
    """Raise R130 for what is no learning rate above 0: nothing would be in a ratio to it."""
    rate = as_number(value)
    if value == AUTO and name.startswith("groups"):
        return
    if rate is None or not math.isfinite(rate) or rate <= 0:
        raise DiagnosticError.of("R130", field=name, name=name, value=str(value))


def _add_buffers(optimizer: Optimizer, weights: Sequence[torch.Tensor]) -> None:
    """Add the buffers that an RMSprop without momentum did not make, as it makes them."""
    for weight in weights:
        state = optimizer.state.get(weight)
        if state and _BUFFER not in state:
            state[_BUFFER] = torch.zeros_like(weight, memory_format=torch.preserve_format)
