"""Phases of a run: which optimizers take a step, and which parameters it trains.

In a step of a phase its parameters are the only ones that require gradients: what another phase
trains is computed without a graph, or, where it lies between the phase and the loss, passes the
gradient on. So the fake of a GAN needs no ``detach`` while the discriminator trains.
"""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec
from torch import Tensor, nn
from torch.optim import Optimizer

from engine.decoding import convert
from engine.diagnostics import DiagnosticError
from engine.graph.model import Graph
from engine.spec.length import planned_epochs, planned_steps
from engine.spec.phase import (
    epochs_of,
    has_phases,
    in_phase,
    is_at_work,
    is_varied,
    members,
    phase_field,
    phase_list,
    phase_name,
    phases_at,
    recipe_of,
    steps_of,
    terms_at,
    turns,
)
from engine.spec.run import RunSpec
from engine.spec.trained_group import TrainedGroup, of_phase, rate_groups
from engine.spec.unfreezing import first_epoch, unfreezing_epochs
from engine.train.checkpoint.restored import fitted_optimizer
from engine.train.optim import (
    build_optimizer,
    clear_gradients,
    learning_rates,
    set_learning_rate,
)
from engine.train.schedule import Schedule
from engine.train.technique.grouping import Grouping, divided
from engine.train.technique.unfreezing import release


@dataclass(frozen=True, kw_only=True)
class Phase:
    """An optimizer with its schedule; ``weights`` are what it trains, ``groups`` how they are
    divided.
    """

    name: str
    optimizer: Optimizer
    schedule: Schedule
    weights: tuple[nn.Parameter, ...]
    groups: tuple[TrainedGroup, ...]


class KeptState:
    """What several optimizers keep of each parameter, the last one where several train it."""

    def __init__(self, optimizers: Sequence[Optimizer]) -> None:
        self._optimizers = optimizers

    @property
    def state(self) -> dict[Tensor, dict[str, object]]:
        """What is kept, by parameter."""
        return {weight: kept for one in self._optimizers for weight, kept in one.state.items()}


class Phases:
    """The phases of a run. ``now`` are the numbers of those that train in the present step of
    ``epoch``, and ``terms`` those of the loss terms that they minimize, all from 0.
    """

    def __init__(
        self, spec: RunSpec, phases: Sequence[Phase], trained: Sequence[nn.Parameter]
    ) -> None:
        self._rules = phase_list(spec)
        self._phases = tuple(phases)
        self._trained = tuple(trained)  # in some step of some phase, or never
        self._is_whole = not has_phases(spec)
        self._count = len(spec.losses)
        self.is_varied = is_varied(spec)
        self.now: tuple[int, ...] = ()
        self.terms: tuple[int, ...] = ()
        self.epoch = 0
        self._held: frozenset[int] = frozenset()  # what does not train, whoever has it

    @property
    def all(self) -> tuple[Phase, ...]:
        """The phases, in their order."""
        return self._phases

    @property
    def by_step(self) -> bool:
        """Whether a schedule changes learning rates within an epoch."""
        return any(phase.schedule.by_step for phase in self._phases)

    @property
    def first(self) -> Phase:
        """The phase of the recipe's own optimizer."""
        return self._phases[0]

    @property
    def working(self) -> tuple[Phase, ...]:
        """The phases that train in the present step."""
        return tuple(self._phases[index] for index in self.now)

    @property
    def name(self) -> str:
        """What the present step trains, where steps differ."""
        return " + ".join(phase.name for phase in self.working) if self.is_varied else ""

    def begin(self, epoch: int, step: int) -> None:
        """Prepare a step, both numbers counting from 0: its parameters require gradients. Raises
        :class:`DiagnosticError` R503 where there are none.
        """
        self.epoch = epoch
        now = (0,) if self._is_whole else phases_at(self._rules, epoch, step)
        if now == self.now:
            return
        if not now:
            raise DiagnosticError.of("R503", field="phase.start", epoch=epoch + 1)
        self.now, self.terms = now, terms_at(self._rules, now, self._count)
        if self._is_whole:
            return
        working = {id(weight) for phase in self.working for weight in phase.weights} - self._held
        for weight in self._trained:
            weight.requires_grad_(id(weight) in working)

    def hold(self, weights: Iterable[nn.Parameter]) -> None:
        """Have these weights, and no others, train in no step, whichever phase has them; what
        requires gradients is set anew by the next step.
        """
        self._held, self.now = frozenset(map(id, weights)), ()

    def retrain(self, weights: Sequence[Sequence[nn.Parameter]]) -> None:
        """Take other weights for those that each phase trains, as its optimizer has them."""
        self._phases = tuple(
            dataclasses.replace(phase, weights=tuple(own))
            for phase, own in zip(self._phases, weights, strict=True)
        )
        self._trained = tuple({id(each): each for own in weights for each in own}.values())
        self.now = ()

    def clear_gradients(self) -> None:
        """Forget all gradients, those of the last step of another phase as well."""
        for phase in self._phases:
            clear_gradients(phase.optimizer)

    def step_done(self, epoch: int) -> None:
        """Advance the schedules of the phases that took a step in an epoch (from 0)."""
        for phase in self.working:
            phase.schedule.step_done(epoch)

    def epoch_done(self, monitored: float | None, epoch: int) -> None:
        """Advance the schedules of the phases that were at work in an epoch (from 0)."""
        for phase, rule in zip(self._phases, self._rules, strict=True):
            if is_at_work(rule, epoch):
                phase.schedule.epoch_done(monitored, epoch)

    def rates(self) -> list[float]:
        """Return the learning rates of all groups, those of equal ones of a phase once."""
        return [
            rate
            for phase in self._phases
            for rate in learning_rates(phase.optimizer)[: len(rate_groups(phase.groups))]
        ]

    @property
    def state(self) -> dict[Tensor, dict[str, object]]:
        """What the optimizers keep of each parameter."""
        return KeptState([phase.optimizer for phase in self._phases]).state

    @property
    def groups(self) -> tuple[TrainedGroup, ...]:
        """The groups of all optimizers."""
        return tuple(group for phase in self._phases for group in phase.groups)

    def state_dict(self) -> dict[str, object]:
        """Return the state of all phases but the first, by their number from 1."""
        return {
            str(number): {
                "optimizer": phase.optimizer.state_dict(),
                "scheduler": phase.schedule.state_dict(),
            }
            for number, phase in enumerate(self._phases[1:], 1)
        }

    def load_state_dict(self, state: Mapping[str, object]) -> None:
        """Go on from a state. Raises :class:`KeyError`, :class:`TypeError` or :class:`ValueError`
        for one of other phases.
        """
        states = convert(dict(state), dict[str, dict[str, dict[str, object]]])
        if len(states) != len(self._phases) - 1:
            raise ValueError(len(states))
        for number, phase in enumerate(self._phases[1:], 1):
            own = states[str(number)]
            fitting = fitted_optimizer(phase.optimizer, own["optimizer"])
            phase.optimizer.load_state_dict(fitting)
            phase.schedule.load_state_dict(own["scheduler"])


def build_phases(
    graph: Graph, spec: RunSpec, model: nn.Module, steps_per_epoch: int, processes: int = 1
) -> Phases:
    """Return the phases of a run of a model in some processes; what it unfreezes at some time is
    released, so that its optimizer has it. Raises :class:`DiagnosticError` as
    :func:`build_optimizers` and :class:`~engine.train.schedule.Schedule`.
    """
    release(model, spec)
    rules, wanted = phase_list(spec), names_of_phases(spec, model)
    _require_unfrozen(spec, wanted)
    trained = {name: each for name, each in model.named_parameters() if each.requires_grad}
    groups = groups_of(graph, spec, model)
    phases: list[Phase] = []
    for index, optimizer in enumerate(build_optimizers(graph, spec, model)):
        if spec.processes.scale_rate:
            set_learning_rate(optimizer, processes * learning_rates(optimizer)[0])
        phase = Phase(
            name=phase_name(rules, index),
            optimizer=optimizer,
            schedule=phase_schedule(spec, index, optimizer, steps_per_epoch),
            weights=tuple(each for name, each in trained.items() if name in wanted[index]),
            groups=of_phase(groups, index),
        )
        phases.append(phase)
    return Phases(spec, phases, list(trained.values()))


def _require_unfrozen(spec: RunSpec, names: Sequence[frozenset[str]]) -> None:
    """Raise R572 for phases that begin before anything that they train is unfrozen."""
    epochs = unfreezing_epochs(spec.unfreezing.schedule) if len(names) > 1 else None
    for turn in turns(spec) if epochs else ():
        trained = [name for index in turn.phases for name in names[index]]
        if trained and all((first_epoch(n, epochs or {}) or 1) > turn.epoch + 1 for n in trained):
            name = " + ".join(phase_name(phase_list(spec), index) for index in turn.phases)
            field = "unfreezing.schedule"
            raise DiagnosticError.of("R572", field=field, phase=name, epoch=turn.epoch + 1)


def build_optimizers(graph: Graph, spec: RunSpec, model: nn.Module) -> list[Optimizer]:
    """Return the optimizers of all phases. Raises :class:`DiagnosticError` R500 for a phase that
    trains nothing, else as :func:`~engine.train.optim.build_optimizer`.
    """
    rules, made = phase_list(spec), list[Optimizer]()
    is_trained = any(weight.requires_grad for weight in model.parameters())
    for index, names in enumerate(names_of_phases(spec, model)):
        recipe = recipe_of(spec, index)
        if not names and has_phases(spec) and is_trained:
            field = f"{phase_field(index)}.match"
            raise DiagnosticError.of("R500", field=field, name=phase_name(rules, index))
        grouping = Grouping.of(recipe, graph, model)
        try:
            made.append(build_optimizer(recipe.optimizer, model, recipe.groups, grouping, names))
        except DiagnosticError as error:
            raise DiagnosticError(*(in_phase(each, index) for each in error.problems)) from error
    return made


def groups_of(graph: Graph, spec: RunSpec, model: nn.Module) -> tuple[TrainedGroup, ...]:
    """Return the parameter groups that the optimizers of all phases get."""
    names = names_of_phases(spec, model)
    found: list[TrainedGroup] = []
    for index, own in enumerate(names):
        recipe = recipe_of(spec, index)
        divisions = divided(model, recipe.groups, Grouping.of(recipe, graph, model), own)
        found += [msgspec.structs.replace(each.group, phase=index) for each in divisions]
    return tuple(found)


def names_of_phases(spec: RunSpec, model: nn.Module) -> tuple[frozenset[str], ...]:
    """Return the names of the parameters that each phase of a run of a model trains."""
    named = model.named_parameters()
    return members(phase_list(spec), {n: each.ndim for n, each in named if each.requires_grad})


def phase_schedule(spec: RunSpec, index: int, optimizer: Optimizer, steps: int) -> Schedule:
    """Return the schedule of a phase, as long as the phase. ``steps`` are those of an epoch."""
    if not has_phases(spec):
        return Schedule(spec, optimizer, steps)
    rules = phase_list(spec)
    length = epochs_of(rules[index], planned_epochs(spec, steps))
    if rules[index].scheduler_interval == "step":
        length = steps_of(rules, index, planned_steps(spec, steps), steps)
    return Schedule(recipe_of(spec, index), optimizer, steps, length=length)
