"""The debugger of a run: stops inside a step, shows and changes tensors there, goes on.

While it stands, the step is blocked in a hook or in the trace function on the thread that computes;
commands go on being taken. What is not for the debugger waits until the step is over, where it
would have been taken without it; a stop lets the step run to its end. Of several processes the
first one stands, shows its own tensors and goes on before the others take it for one that hangs;
it changes none, as theirs would stay as they were.
"""

import math
import time

import torch
from torch import Tensor

from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.events import (
    DebugCommand,
    DebugContinue,
    DebugStep,
    DebugStopped,
    DebugValue,
    ReadTensor,
    Resume,
    RunCommand,
    SetBreakpoints,
    StateChanged,
    Step,
    Stop,
    TensorChanged,
    TensorRead,
    Warned,
    WriteTensor,
)
from engine.inspect.expression import changed
from engine.inspect.places import Places
from engine.inspect.step_tracer import Held, Spot, StepTracer
from engine.inspect.tensor_observer import dense_values
from engine.runs.claim import Interrupt
from engine.runs.folder import CommandReader
from engine.train.report import Reporter
from engine.train.training import Training
from engine.train.watch.breakpoints import Breaks

_LOOK_S = 0.02
_MOST_READ = 1024
_OF_PATIENCE = 0.8  # so much of the time that others wait for a process that hangs


class Debugger:
    """Stops the run where it was asked to. Without breakpoints and steps it watches nothing."""

    def __init__(
        self,
        training: Training,
        places: Places,
        reporter: Reporter,
        commands: CommandReader,
        interrupt: Interrupt,
    ) -> None:
        self._probe = training.probe
        self._patience_s = _patience_s(training)
        self._waited = (0, 0.0)  # the step for which others wait, and until when they do
        self._tracer = StepTracer(places, self._arrive)
        self._reporter = reporter
        self._commands = commands
        self._interrupt = interrupt
        self._breaks = Breaks(training.steps_per_epoch)
        self._is_watching = False
        self._is_standing = False
        self._has_stood = False
        self._is_changed = False
        self._held: dict[str, Held] = {}
        self._spot = Spot(phase="forward")
        self._later: list[RunCommand | Diagnostic] = []

    def obey(self, command: DebugCommand) -> None:
        """Take a command of the debugger, in a step or between two."""
        match command:
            case SetBreakpoints(breakpoints=breakpoints):
                for problem in self._breaks.set_points(breakpoints):
                    self._warn(problem)
            case DebugStep(over=over):
                self._breaks.begin_step(over, self._spot if self._is_standing else None)
                self._is_standing = False
            case DebugContinue():
                self._is_standing = False
            case ReadTensor():
                self._read(command)
            case WriteTensor():
                self._write(command)
        self._watch(is_on=self._breaks.is_armed)

    def step_done(self, step: int) -> None:
        """Take note that a step is over."""
        self._breaks.step = step + 1
        self._watch(is_on=self._breaks.is_armed)

    def take_changed(self) -> bool:
        """Return, once, whether a tensor was changed by hand in the step before."""
        was_changed, self._is_changed = self._is_changed, False
        return was_changed

    def take_stood(self) -> bool:
        """Return, once, whether it stood in the step before: what was asked for meanwhile waits."""
        has_stood, self._has_stood = self._has_stood, False
        return has_stood

    def _watch(self, *, is_on: bool) -> None:
        if is_on and not self._is_watching:
            self._probe.add(self._tracer)
        elif not is_on and self._is_watching and not self._is_standing:
            self._probe.remove(self._tracer)
        else:
            return
        self._is_watching = is_on

    def _arrive(self, spot: Spot) -> None:
        for problem in self._breaks.missing(spot):
            self._warn(problem)
        reason = self._breaks.reason(spot)
        if reason and not self._is_over():
            self._stand(spot, reason)

    def _is_over(self) -> bool:
        """Return whether the step has to go on: the run is to end, or others waited long for it."""
        now = time.monotonic()
        if self._waited[0] != self._breaks.step:
            self._waited = self._breaks.step, now + self._patience_s
        return self._interrupt.signal != 0 or now >= self._waited[1]

    def _stand(self, spot: Spot, reason: str) -> None:
        """Stay here until the user goes on."""
        reporter = self._reporter
        self._is_standing, self._has_stood, self._spot = True, True, spot
        reporter.clock.halt()
        reporter.append(StateChanged(state="paused", step=self._breaks.step - 1))
        self._tell(reason)
        while self._is_standing and not self._is_over():
            for command in self._commands.poll():
                self._take(command)
            if self._is_standing:
                time.sleep(_LOOK_S)
        if self._is_standing and not self._interrupt.signal:
            params: dict[str, str | int | float] = {"seconds": round(self._patience_s)}
            self._warn(Diagnostic(code="A015", severity=Severity.WARNING, params=params))
        self._is_standing = False
        self._held = {}
        for command in self._later:
            self._commands.put_back(command)
        self._later = []
        reporter.clock.go()
        reporter.append(StateChanged(state="running", step=self._breaks.step - 1))

    def _take(self, command: RunCommand | Diagnostic) -> None:
        match command:
            case SetBreakpoints() | DebugStep() | DebugContinue() | ReadTensor() | WriteTensor():
                self.obey(command)
            case Step():
                self.obey(DebugStep(over="batch"))
            case Resume():
                self.obey(DebugContinue())
            case Stop():
                self._breaks.let_go()
                self._is_standing = False
                self._later.append(command)
            case _:
                self._later.append(command)

    def _tell(self, reason: str) -> None:
        spot = self._spot
        self._held = spot.held()
        told = DebugStopped(
            step=self._breaks.step,
            phase=spot.phase,
            reason=reason,
            place=spot.place,
            line=spot.line,
            layer=spot.layer,
            function=spot.function,
            parameter=spot.parameter,
            values=tuple(described(key, held) for key, held in self._held.items()),
        )
        self._reporter.append(told)

    def _read(self, command: ReadTensor) -> None:
        held = self._held.get(command.key)
        if held is None:
            self._warn(Diagnostic(code="A011", params={"key": command.key}))
            return
        start = max(0, command.start)
        count = min(max(1, command.count), _MOST_READ)
        found = dense_values(held.tensor).reshape(-1)[start : start + count].cpu()
        values = tuple(map(_told, found.tolist()))
        told = TensorRead(step=self._breaks.step, key=command.key, start=start, values=values)
        self._reporter.append(told)

    def _write(self, command: WriteTensor) -> None:
        if math.isfinite(self._patience_s):
            self._warn(Diagnostic(code="A014", severity=Severity.WARNING))
            return
        held = self._held.get(command.key)
        if held is None or held.write is None:
            self._warn(Diagnostic(code="A011", params={"key": command.key}))
            return
        try:
            with torch.no_grad():
                after = changed(held.tensor, command.expression, command.at)
            held.write(after)
        except DiagnosticError as error:
            self._warn(error.problems[0])
            return
        self._is_changed = True
        expression = command.expression
        if command.at is not None:
            expression = f"x.flatten()[{command.at}] = {expression}"
        told = TensorChanged(
            step=self._breaks.step,
            place=self._spot.place,
            key=command.key,
            expression=expression,
        )
        self._reporter.append(told)
        self._tell("change")

    def _warn(self, problem: Diagnostic) -> None:
        self._reporter.append(Warned(problem=problem, step=self._breaks.step))


def _patience_s(training: Training) -> float:
    """Return how long the run can stand in a step: other processes wait for this one."""
    is_alone = training.world.size == 1
    return math.inf if is_alone else _OF_PATIENCE * training.spec.processes.timeout_s


def described(key: str, held: Held) -> DebugValue:
    """Return what is told of a tensor: its shape, dtype and the figures of its finite values."""
    tensor = dense_values(held.tensor)
    numbers = tensor.abs() if tensor.is_complex() else tensor
    numbers = numbers.double() if numbers.device.type != "mps" else numbers.float()
    finite = numbers[torch.isfinite(numbers)]
    value = DebugValue(
        key=key,
        kind=held.kind,
        shape=tuple(tensor.shape),
        dtype=str(held.tensor.dtype).removeprefix("torch."),
        bad=numbers.numel() - finite.numel(),
    )
    return _with_figures(value, finite) if finite.numel() else value


def _told(value: complex) -> float | str:
    """Return a value as events can hold it: one that is complex or not finite as a word."""
    if isinstance(value, int | float) and math.isfinite(value):
        return float(value)
    return str(value)


def _with_figures(value: DebugValue, finite: Tensor) -> DebugValue:
    std, mean = torch.std_mean(finite, correction=0)
    return DebugValue(
        key=value.key,
        kind=value.kind,
        shape=value.shape,
        dtype=value.dtype,
        bad=value.bad,
        minimum=float(finite.min()),
        maximum=float(finite.max()),
        mean=float(mean),
        std=float(std),
    )
