"""Debugger of a run: stops inside a step, shows and changes tensors there, and continues.

While it is stopped, the step is blocked in a hook or in the trace function on the thread that
computes; commands are still read. Those that are not for the debugger wait until the step is over,
where they would have been taken without it; a stop lets the step run to its end. With several ranks
only rank 0 stops, shows its own tensors and continues before the others take it for one that hangs;
it changes none, as those of the other ranks would stay as they are.
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
from engine.inspect.node_path import NodePaths
from engine.inspect.step_tracer import Held, Spot, StepTracer
from engine.inspect.tensor_observer import dense_values
from engine.runs.folder import CommandReader
from engine.runs.locked_run import Interrupt
from engine.train.report import Reporter
from engine.train.training import Training
from engine.train.watch.breakpoints import Breakpoints

_LOOK_S = 0.02
_MOST_READ = 1024
_OF_TIMEOUT = 0.8  # this part of the time after which other ranks take one for hanging


class Debugger:
    """Stops the run where the user asked for it; without breakpoints and steps it costs nothing."""

    def __init__(
        self,
        training: Training,
        node_paths: NodePaths,
        reporter: Reporter,
        commands: CommandReader,
        interrupt: Interrupt,
    ) -> None:
        self._probe = training.probe
        self._longest_stop_s = _longest_stop_s(training)
        self._deadline = (0, 0.0)  # of a step: until when it may be stopped
        self._tracer = StepTracer(node_paths, self._reach)
        self._reporter = reporter
        self._commands = commands
        self._interrupt = interrupt
        self._breakpoints = Breakpoints(training.steps_per_epoch)
        self._is_watching = False
        self._is_stopped = False
        self._has_stopped = False
        self._is_changed = False
        self._held: dict[str, Held] = {}
        self._spot = Spot(phase="forward")
        self._later: list[RunCommand | Diagnostic] = []

    def handle(self, command: DebugCommand) -> None:
        """Carry out a command of the debugger, in a step or between two."""
        match command:
            case SetBreakpoints(breakpoints=breakpoints):
                for problem in self._breakpoints.set_points(breakpoints):
                    self._warn(problem)
            case DebugStep(over=over):
                self._breakpoints.begin_step(over, self._spot if self._is_stopped else None)
                self._is_stopped = False
            case DebugContinue():
                self._is_stopped = False
            case ReadTensor():
                self._read(command)
            case WriteTensor():
                self._write(command)
        self._watch(is_on=self._breakpoints.is_armed)

    def step_done(self, step: int) -> None:
        """Count a step that is over."""
        self._breakpoints.step = step + 1
        self._watch(is_on=self._breakpoints.is_armed)

    def take_changed(self) -> bool:
        """Return, once, whether a tensor was changed by hand in the step before."""
        was_changed, self._is_changed = self._is_changed, False
        return was_changed

    def take_stopped(self) -> bool:
        """Return, once, whether it stopped in the last step: commands of that time wait."""
        has_stopped, self._has_stopped = self._has_stopped, False
        return has_stopped

    def _watch(self, *, is_on: bool) -> None:
        if is_on and not self._is_watching:
            self._probe.add(self._tracer)
        elif not is_on and self._is_watching and not self._is_stopped:
            self._probe.remove(self._tracer)
        else:
            return
        self._is_watching = is_on

    def _reach(self, spot: Spot) -> None:
        for problem in self._breakpoints.missing(spot):
            self._warn(problem)
        reason = self._breakpoints.reason(spot)
        if reason and not self._is_over():
            self._stop(spot, reason)

    def _is_over(self) -> bool:
        """Return whether the step has to continue: the run is to end, or other ranks wait."""
        now = time.monotonic()
        if self._deadline[0] != self._breakpoints.step:
            self._deadline = self._breakpoints.step, now + self._longest_stop_s
        return self._interrupt.signal != 0 or now >= self._deadline[1]

    def _stop(self, spot: Spot, reason: str) -> None:
        """Stay here until the user continues."""
        reporter = self._reporter
        self._is_stopped, self._has_stopped, self._spot = True, True, spot
        reporter.clock.halt()
        reporter.append(StateChanged(state="paused", step=self._breakpoints.step - 1))
        self._record_stop(reason)
        while self._is_stopped and not self._is_over():
            for command in self._commands.poll():
                self._take(command)
            if self._is_stopped:
                time.sleep(_LOOK_S)
        if self._is_stopped and not self._interrupt.signal:
            params: dict[str, str | int | float] = {"seconds": round(self._longest_stop_s)}
            self._warn(Diagnostic(code="A015", severity=Severity.WARNING, params=params))
        self._is_stopped = False
        self._held = {}
        for command in self._later:
            self._commands.put_back(command)
        self._later = []
        reporter.clock.go()
        reporter.append(StateChanged(state="running", step=self._breakpoints.step - 1))

    def _take(self, command: RunCommand | Diagnostic) -> None:
        match command:
            case SetBreakpoints() | DebugStep() | DebugContinue() | ReadTensor() | WriteTensor():
                self.handle(command)
            case Step():
                self.handle(DebugStep(over="batch"))
            case Resume():
                self.handle(DebugContinue())
            case Stop():
                self._breakpoints.clear()
                self._is_stopped = False
                self._later.append(command)
            case _:
                self._later.append(command)

    def _record_stop(self, reason: str) -> None:
        spot = self._spot
        self._held = spot.held()
        stopped = DebugStopped(
            step=self._breakpoints.step,
            phase=spot.phase,
            reason=reason,
            place=spot.place,
            line=spot.line,
            layer=spot.layer,
            function=spot.function,
            parameter=spot.parameter,
            values=tuple(described(key, held) for key, held in self._held.items()),
        )
        self._reporter.append(stopped)

    def _read(self, command: ReadTensor) -> None:
        held = self._held.get(command.key)
        if held is None:
            self._warn(Diagnostic(code="A011", params={"key": command.key}))
            return
        start = max(0, command.start)
        count = min(max(1, command.count), _MOST_READ)
        numbers = dense_values(held.tensor).reshape(-1)[start : start + count].cpu()
        values = tuple(map(_plain, numbers.tolist()))
        read = TensorRead(step=self._breakpoints.step, key=command.key, start=start, values=values)
        self._reporter.append(read)

    def _write(self, command: WriteTensor) -> None:
        if math.isfinite(self._longest_stop_s):
            self._warn(Diagnostic(code="A014", severity=Severity.WARNING))
            return
        held = self._held.get(command.key)
        if held is None or held.write is None:
            self._warn(Diagnostic(code="A011", params={"key": command.key}))
            return
        try:
            with torch.no_grad():
                value = changed(held.tensor, command.expression, command.at)
            held.write(value)
        except DiagnosticError as error:
            self._warn(error.problems[0])
            return
        self._is_changed = True
        expression = command.expression
        if command.at is not None:
            expression = f"x.flatten()[{command.at}] = {expression}"
        event = TensorChanged(
            step=self._breakpoints.step,
            place=self._spot.place,
            key=command.key,
            expression=expression,
        )
        self._reporter.append(event)
        self._record_stop("change")

    def _warn(self, problem: Diagnostic) -> None:
        self._reporter.append(Warned(problem=problem, step=self._breakpoints.step))


def _longest_stop_s(training: Training) -> float:
    """Return how long the run may be stopped in a step: other ranks wait for this one."""
    is_alone = training.world.size == 1
    return math.inf if is_alone else _OF_TIMEOUT * training.spec.processes.timeout_s


def described(key: str, held: Held) -> DebugValue:
    """Return the description of a tensor: shape, dtype and statistics of its finite values."""
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
    return _with_statistics(value, finite) if finite.numel() else value


def _plain(value: complex) -> float | str:
    """Return a value as events can hold it: a complex or non-finite one as text."""
    if isinstance(value, int | float) and math.isfinite(value):
        return float(value)
    return str(value)


def _with_statistics(value: DebugValue, finite: Tensor) -> DebugValue:
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
