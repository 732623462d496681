"""Optimizers side by side: the same model, start, data and order of batches for each."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace as replace_parts
from pathlib import Path

import torch
from msgspec.structs import replace
from torch import nn

from engine.catalog.spec import EntryGroup, Need
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.graph.model import Graph
from engine.inspect.probe import Probe
from engine.model.module import to_module
from engine.query.landscape.answer import (
    LossField,
    Tell,
    Teller,
    axes,
    begin_like_run,
    draw_plane,
    most_points,
    seen_way,
)
from engine.query.landscape.plane import Weights, principal_plane, weights_of
from engine.query.landscape.request import (
    LandscapePlane,
    LandscapeProgress,
    LandscapeValues,
    RaceFunction,
    RaceLosses,
    RaceModel,
    Racer,
    RacerOut,
    WayAxis,
)
from engine.query.race.functions import FUNCTIONS, grid
from engine.spec.choice import has_need
from engine.spec.phase import phase_field, phase_list, phase_named, terms_at
from engine.spec.run import ComputeSpec, RunSpec
from engine.spec.technique import LayerRatesSpec, NoDecaySpec
from engine.train.devices import random_state, run_settings, set_random_state
from engine.train.finite import NotFiniteError
from engine.train.live.settings import LiveSettings
from engine.train.loop import train_epoch
from engine.train.model_placement import placed_model
from engine.train.optim import build_optimizer, clear_gradients
from engine.train.part_evaluation import evaluate_part
from engine.train.phase import build_phases
from engine.train.precision import Precision
from engine.train.technique.registry import build_techniques
from engine.train.training import Training, build_training, live_parts, named

_LAST = 10  # losses at the end that tell who is ahead
_LOST = 3.0  # times its first loss: it does not lie in the plane of the others


class _Contestant(ABC):
    """One racer. ``losses`` are those of its steps, ``problem`` why it is out."""

    def __init__(self) -> None:
        self.losses: list[float] = []
        self.problem: Diagnostic | None = None

    @property
    def final(self) -> float:
        """The mean of the last losses; infinite when it is out."""
        last = self.losses[-_LAST:]
        return math.inf if self.problem or not last else sum(last) / len(last)

    @property
    def is_lost(self) -> bool:
        """Whether it went astray, so that its way says nothing about where to look."""
        return not math.isfinite(self.final) or self.final > _LOST * max(self.losses[0], 1e-9)

    def step(self, number: int) -> bool:
        """Take a step; return whether it can go on."""
        try:
            loss = self._loss()
            if not math.isfinite(loss):
                raise NotFiniteError(loss)
        except DiagnosticError as error:
            self.problem = error.problems[0]
        except NotFiniteError as error:
            params: dict[str, str | int | float] = {"step": number, "loss": str(error.loss)}
            self.problem = Diagnostic(code="V021", params=params)
        except (RuntimeError, TypeError, ValueError) as error:
            self.problem = Diagnostic(code="V022", params={"step": number}, detail=str(error))
        else:
            self.losses.append(loss)
        return self.problem is None

    @abstractmethod
    def _loss(self) -> float:
        """Compute a step; return its loss."""


class _ModelContestant(_Contestant):
    """Trains a model of its own on the data that all share. ``way`` holds the weights after some of
    the steps, the first before any.
    """

    def __init__(self, request: RaceModel, racer: Racer, shared: Training) -> None:
        super().__init__()
        spec = _own_spec(request.spec, racer, request.phase)
        with run_settings(spec):
            model = to_module(request.graph)
            begin_like_run(model, request.graph, spec, Path(request.project))
            self.training = _own_training(shared, spec, model, request.graph)
            self._random = random_state(shared.device)
        self.way: list[tuple[int, Weights]] = [(0, weights_of(self.training.model))]
        self._stride = _stride(request, self.training.model)
        self._steps = self._endless()

    def _loss(self) -> float:
        set_random_state(self._random, self.training.device)
        loss = float(next(self._steps))
        self._random = random_state(self.training.device)
        step = len(self.losses) + 1
        if step % self._stride == 0:
            self.way.append((step, weights_of(self.training.model)))
        return loss

    def _endless(self) -> Iterator[float]:
        training, epoch = self.training, 0
        meter = training.epoch_meter()
        while True:
            for result in train_epoch(training, epoch, 0, meter):
                yield float(result.loss)
            if any(each.scheduler is not None for each in phase_list(training.spec)):
                measured = training.monitored(self._measured(meter.compute()))
                training.phases.epoch_done(measured, epoch)
            meter.reset()
            epoch += 1

    def _measured(self, trained: dict[str, float]) -> dict[str, float]:
        return named("train", trained) | named(
            "validation", evaluate_part(self.training, "validation") or {}
        )


class _FunctionContestant(_Contestant):
    """Looks for the minimum of a function. ``way`` holds its places, the first before any step."""

    def __init__(self, request: RaceFunction, racer: Racer) -> None:
        super().__init__()
        self._function = FUNCTIONS[request.function]
        self._module = _Place(self._function.start)
        self._optimizer = build_optimizer(racer.optimizer, self._module)
        self.way: list[tuple[float, float]] = [self._function.start]

    def _loss(self) -> float:
        losses: list[float] = []

        def evaluate() -> torch.Tensor:
            clear_gradients(self._optimizer)
            value = self._function.value(*self._module.place)
            value.backward()
            losses.append(value.item())
            return value.detach()

        self._optimizer.step(evaluate)  # pyright: ignore[reportCallIssue, reportArgumentType] - annotated as float, takes the tensor
        x, y = self._module.place.tolist()
        if not (math.isfinite(x) and math.isfinite(y)):
            raise NotFiniteError(math.nan)
        self.way.append((x, y))
        return losses[0]  # LBFGS asks several times


class _Place(nn.Module):
    """Two numbers that are trained."""

    def __init__(self, start: tuple[float, float]) -> None:
        super().__init__()
        self.place = nn.Parameter(torch.tensor(start, dtype=torch.float64))


def race_model(request: RaceModel, tell: Tell) -> None:
    """Let optimizers train a model side by side, then draw the landscape that their ways lie in:
    through the end of the best, along the principal components of all ways.

    Raises :class:`DiagnosticError`: R512 for phases that minimize different losses, R573 for one
    that there is not, V023 when none is left, else what keeps the model from being trained at all.
    """
    _require_one_loss(request)
    tell(LandscapeProgress(phase="load"))
    teller = Teller(tell)
    with run_settings(request.spec):
        shared = build_training(request.graph, request.spec, to_module(request.graph))
        contestants: dict[int, _ModelContestant] = {}
        for number, racer in enumerate(request.racers):
            try:
                contestants[number] = _ModelContestant(request, racer, shared)
            except DiagnosticError as error:
                tell(RacerOut(number=number, step=0, problem=error.problems[0]))
        _race(contestants, len(request.racers), request.steps, teller)
        calm = [one for one in contestants.values() if not one.is_lost]
        if not calm:
            raise DiagnosticError.of("V023")
        best = min(calm, key=lambda one: one.final)
        generator = torch.Generator().manual_seed(request.spec.seed)
        points = [weights for one in calm for _, weights in one.way]
        plane = principal_plane(weights_of(best.training.model), points, generator)
        x, y = axes(plane, [plane.place(weights) for weights in points], 1.0)
        field = LossField(best.training, request.samples)
        ways = tuple(
            seen_way(tuple(s for s, _ in one.way), [plane.place(w) for _, w in one.way], number)
            for number, one in contestants.items()
        )
        plane_message = LandscapePlane(
            size=request.size, x=x, y=y, ways=ways, samples=field.samples
        )
        draw_plane(plane, field, plane_message, teller)


def _require_one_loss(request: RaceModel) -> None:
    """Raise R512 where the loss does not say who is ahead: that of a GAN is as low as the opponent
    is weak, and each racer has one of its own.
    """
    phase_named(request.spec, str(request.phase + 1))
    rules, count = phase_list(request.spec), len(request.spec.losses)
    if len({terms_at(rules, (index,), count) for index in range(len(rules))}) > 1:
        raise DiagnosticError.of("R512", field="phase.losses")


def race_function(request: RaceFunction, tell: Tell) -> None:
    """Let optimizers look for the minimum of a function, over the picture of it.

    Raises :class:`DiagnosticError` V023 when none could begin.
    """
    teller = Teller(tell)
    function = FUNCTIONS[request.function]
    contestants: dict[int, _FunctionContestant] = {}
    for number, racer in enumerate(request.racers):
        try:
            contestants[number] = _FunctionContestant(request, racer)
        except DiagnosticError as error:
            tell(RacerOut(number=number, step=0, problem=error.problems[0]))
    if not contestants:
        raise DiagnosticError.of("V023")
    _race(contestants, len(request.racers), request.steps, teller)
    x, y = (WayAxis(low=low, high=high, kind="number") for low, high in function.bounds)
    values = grid(function, request.size).flatten().tolist()
    teller.say(
        LandscapePlane(
            size=request.size,
            x=x,
            y=y,
            ways=tuple(
                seen_way(tuple(range(len(one.way))), one.way, number)
                for number, one in contestants.items()
            ),
            minima=function.minima,
        ),
        LandscapeValues(start=0, values=tuple(values)),
    )


def _race(
    contestants: "dict[int, _ModelContestant] | dict[int, _FunctionContestant]",
    count: int,
    steps: int,
    teller: Teller,
) -> None:
    """Let all take their steps in turn, and tell of it."""
    reported = 0
    for step in range(1, steps + 1):
        for number, one in contestants.items():
            if one.problem is None and not one.step(step):
                assert one.problem is not None
                teller.say(RacerOut(number=number, step=step - 1, problem=one.problem))
        if teller.is_due() or step == steps:
            losses = tuple(
                tuple(contestants[number].losses[reported:]) if number in contestants else ()
                for number in range(count)
            )
            teller.say(
                RaceLosses(first=reported + 1, losses=losses),
                LandscapeProgress(phase="race", done=step, total=steps),
            )
            reported = step


def _own_spec(spec: RunSpec, racer: Racer, phase: int) -> RunSpec:
    """Return what a racer trains by: its optimizer in a phase. Nobody waits for compiled code.
    Raises :class:`DiagnosticError` R504 for one that cannot share a step with other phases.
    """
    compute: ComputeSpec = replace(spec.compute, compile=False)
    if racer.is_recipe:
        return replace(spec, compute=compute)
    if spec.phases and has_need(EntryGroup.OPTIMIZER, racer.optimizer, Need.CLOSURE):
        field = f"{phase_field(phase)}.optimizer" if phase else "optimizer"
        raise DiagnosticError.of("R504", field=field, optimizer=racer.optimizer.type)
    if phase:
        own = replace(spec.phases[phase - 1], optimizer=racer.optimizer, scheduler=None)
        phases = (*spec.phases[: phase - 1], own, *spec.phases[phase:])
        return replace(spec, phases=phases, compute=compute)
    return replace(
        spec,
        optimizer=racer.optimizer,
        groups=(),
        no_decay=NoDecaySpec(),
        layer_rates=LayerRatesSpec(),
        scheduler=None,
        compute=compute,
    )


def _own_training(shared: Training, spec: RunSpec, model: nn.Module, graph: Graph) -> Training:
    """Return a training like the shared one, with a model and an optimizer of its own."""
    model = placed_model(model, spec, shared.device)
    phases = build_phases(graph, spec, model, shared.steps_per_epoch)
    techniques = build_techniques(spec, model)
    parts = live_parts(graph, spec, model, shared.loss, phases, techniques)
    return replace_parts(
        shared,
        spec=spec,
        model=model,
        network=model,
        phases=phases,
        precision=Precision(spec.compute, shared.device),
        compiled=None,
        split=None,
        probe=Probe(),
        techniques=techniques,
        live=LiveSettings(spec, parts, graph.code),
    )


def _stride(request: RaceModel, model: nn.Module) -> int:
    """Return after how many steps weights are kept, so that all of them fit into memory."""
    return max(1, -(-request.steps // most_points(model, len(request.racers))))
