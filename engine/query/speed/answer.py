"""Measurement of which settings make the steps of a run faster, on this model and this machine.

Each setting is tried on top of those that helped before it. Blocks of steps with and without it
are timed in turn, so that what else the machine does slows both, and the fastest blocks count.
"""

import time
from collections.abc import Callable, Iterator

import torch
from msgspec.structs import replace
from torch import Tensor

from engine.catalog.spec import Value
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.graph.model import Graph
from engine.model.module import to_module
from engine.query.speed.request import BenchmarkSpeed, SpeedMeasured, SpeedMessage, SpeedTrial
from engine.spec.fields import field_names, get_value, set_value
from engine.spec.phase import phase_list, phases_at, turns
from engine.spec.run import RunSpec
from engine.train.devices import run_settings
from engine.train.driver import StepResult
from engine.train.loop import train_epoch
from engine.train.precision import is_double
from engine.train.training import Training, build_training

_BLOCKS = 5
_BLOCK_S = 0.12
_MOST_STEPS = 50
_WARM_UP = 3
_GAIN = 0.95  # a setting is kept that takes at most so much of the time
_AMPERE = (8, 0)
_IMAGES = 4  # axes of a batch of them

Settings = list[tuple[str, Value]]


def measure_speed(request: BenchmarkSpeed, tell: Callable[[SpeedMessage], object]) -> None:
    """Try each setting that this device has and tell what it did.

    Raises :class:`DiagnosticError` when the run could not begin at all.
    """
    best = TimedSteps(request.graph, request.spec)
    candidates = _candidates(best.training, compiles=request.compiles)
    for number, (name, value) in enumerate(candidates, 1):
        tell(SpeedTrial(name=name, value=value, number=number, count=len(candidates)))
        measured, trial = _tried(request, best, name, value)
        tell(measured)
        if measured.is_kept and trial is not None:
            best = trial


def _candidates(training: Training, *, compiles: bool) -> Settings:
    """Return what may help on a device and is not switched on yet, the safest first."""
    spec, device = training.spec, training.device
    candidates: Settings = []
    if "optimizer.fused" in field_names(spec) and device.type in ("cpu", "cuda"):
        candidates.append(("optimizer.fused", True))
    if _has_images(training):
        candidates.append(("compute.channels_last", True))
    if device.type == "cuda":
        is_new = torch.cuda.get_device_capability(device) >= _AMPERE
        candidates += [("compute.tf32", True)] if is_new else []
        candidates += [("compute.cudnn_benchmark", True)] if _has_images(training) else []
        if any(form.is_cpu for form in _forms(training)):
            candidates.append(("compute.pin_memory", True))
        candidates.append(("compute.precision", "bfloat16" if is_new else "float16"))
    else:
        candidates.append(("compute.precision", "bfloat16"))
    if compiles:
        candidates.append(("compute.compile", True))
    if is_double(spec.compute):  # chosen for its digits
        candidates = [(name, value) for name, value in candidates if name != "compute.precision"]
    return [(name, value) for name, value in candidates if get_value(spec, name) != value]


def _has_images(training: Training) -> bool:
    return any(form.ndim == _IMAGES for form in _forms(training))


def _forms(training: Training) -> list[Tensor]:
    part = training.data.training
    return [part.form(name) for name in training.input_fields]


def _tried(
    request: BenchmarkSpeed, best: "TimedSteps", name: str, value: Value
) -> tuple[SpeedMeasured, "TimedSteps | None"]:
    """Time a setting beside the best so far; one that cannot be used here is told with why."""
    try:
        spec = set_value(best.training.spec, name, value)
        if name == "optimizer.fused" and get_value(spec, "optimizer.foreach") is True:
            spec = set_value(spec, "optimizer.foreach", None)  # PyTorch takes one of them
        trial = TimedSteps(request.graph, spec)
    except (DiagnosticError, RuntimeError, ValueError, TypeError) as error:
        reported = error.problems[0] if isinstance(error, DiagnosticError) else None
        problem = reported or Diagnostic(code="R187", detail=str(error))
        return SpeedMeasured(name=name, value=value, problem=problem), None
    base, after = _in_turn(best, trial)
    compiled = trial.training.compiled
    measured = SpeedMeasured(
        name=name,
        value=value,
        before_ms=1000 * base,
        after_ms=1000 * after,
        difference=abs(trial.loss - best.loss) / max(abs(best.loss), 1e-12),
        problem=compiled.take_problem() if compiled is not None else None,
    )
    is_kept = after < _GAIN * base and measured.problem is None
    return replace(measured, is_kept=is_kept), trial


def _in_turn(first: "TimedSteps", second: "TimedSteps") -> tuple[float, float]:
    """Return the seconds of a step of both, from the fastest of blocks that take turns."""
    times = [(first.block(), second.block()) for _ in range(_BLOCKS)]
    return min(time[0] for time in times), min(time[1] for time in times)


class TimedSteps:
    """A training that takes steps to see how long they take; ``loss`` is the first, ``samples``
    are those of all steps so far, ``count`` the steps of a block.

    Raises what building or the first steps raise.
    """

    def __init__(self, graph: Graph, spec: RunSpec) -> None:
        self.samples = 0
        with run_settings(spec):
            self.training = build_training(graph, spec, to_module(graph))
            self._steps = self._endless()
            self.loss = float(next(self._steps).loss)
            self._take_all_kinds()
            seconds = [self._timed(1) for _ in range(_WARM_UP)]
        self.count = max(1, min(_MOST_STEPS, int(_BLOCK_S / max(min(seconds), 1e-6))))

    def block(self) -> float:
        """Return the seconds of a step, the mean of a block of them."""
        with run_settings(self.training.spec):
            return self._timed(self.count) / self.count

    def _timed(self, count: int) -> float:
        self._wait()
        begun = time.perf_counter()
        for _ in range(count):
            self.samples += next(self._steps).samples
        self._wait()
        return time.perf_counter() - begun

    def _wait(self) -> None:
        """Wait for the device: it computes on while Python goes ahead."""
        if self.training.device.type == "cuda":
            torch.cuda.synchronize(self.training.device)

    def _take_all_kinds(self) -> None:
        """Take a step of each kind that phases make of the steps of a run: that of all parameters
        takes more memory than that of a head, with which the run may begin.
        """
        training, kinds = self.training, turns(self.training.spec)
        for turn in kinds if len(kinds) > 1 else ():
            for batch in range(training.data.sampler.count):
                number = training.step_number(turn.epoch, batch)
                if phases_at(phase_list(training.spec), turn.epoch, number) == turn.phases:
                    meter = training.epoch_meter()
                    next(train_epoch(training, turn.epoch, batch, meter))
                    break

    def _endless(self) -> Iterator[StepResult]:
        epoch = 0
        while True:
            yield from train_epoch(self.training, epoch, 0, self.training.epoch_meter())
            epoch += 1
