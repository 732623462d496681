"""A run from one step to the next: states, commands, epochs, checkpoints.

::

                 ┌──── Pause, disk full ────┐
                 │                          ▼
    start ──► RUNNING ◄──── Resume ───── PAUSED
                 │   ▲                    │  │
                 │   └── Step(n): n steps ┘  │
                 ├──────── Stop, signal ─────┤
                 ▼                           ▼
        FINISHED, FAILED                  STOPPED

Commands are taken between two steps (at most every 20 ms) and between two batches of a
validation pass. A stop or a pause writes a checkpoint of exactly that place, so that a resumed
run goes on as if nothing had been.
"""

import math
import time
from dataclasses import dataclass
from enum import StrEnum

from engine.diagnostics import Diagnostic, Severity
from engine.events import (
    DebugContinue,
    DebugStep,
    EpochDone,
    FreeCache,
    KnobChanged,
    Pause,
    ReadTensor,
    Resume,
    RunCommand,
    SetBreakpoints,
    SetValue,
    StateChanged,
    Step,
    Stop,
    Warned,
    WriteTensor,
)
from engine.runs.claim import Interrupt
from engine.runs.folder import CommandReader
from engine.train.checkpoint.file import Checkpoint, Position
from engine.train.devices import free_cache, random_state
from engine.train.loop import NotFiniteWeightError, evaluate_part, train_epoch
from engine.train.metrics import EpochMeter, Measured, put_together
from engine.train.optim import learning_rates
from engine.train.rank_report import RankTeller
from engine.train.ranks.world import Orders, Task
from engine.train.report import LOSS, Reporter
from engine.train.saver import CheckpointSaver
from engine.train.training import Training, named
from engine.train.watch.debugger import Debugger
from engine.train.watch.watch import Watch

_LOOK_S = 0.05
_TOGETHER_S = 1.0  # a look that all take holds all of them up
_REMIND_S = 60.0  # the others of a group would take a long silence for the end
_NEVER = -1


class Mode(StrEnum):
    """What a run does at the moment."""

    RUNNING = "running"
    PAUSED = "paused"


class FinishReason(StrEnum):
    """Why :meth:`Runner.run` came back (a failure raises)."""

    FINISHED = "finished"
    STOPPED = "stopped"


@dataclass(frozen=True, kw_only=True)
class RunnerParts:
    """What a runner works with, made by :mod:`engine.train.session`."""

    training: Training
    reporter: Reporter
    saver: CheckpointSaver
    commands: CommandReader
    meter: EpochMeter
    interrupt: Interrupt
    graph: str
    spec: str
    watch: Watch
    debugger: Debugger


class Runner:
    """Drives one run on the thread that calls :meth:`run`."""

    def __init__(self, parts: RunnerParts, position: Position, epochs: int) -> None:
        self.epochs = epochs
        self.best: float | None = None
        self.metrics: dict[str, float] = {}
        self.training = parts.training
        self._reporter = parts.reporter
        self._journal = parts.reporter.journal
        self._parts = parts
        self._step, self._epoch, self._batch = position.step, position.epoch, position.batch
        self._mode = Mode.RUNNING
        self._stops = False
        self._halt_step = _NEVER  # after this step the run pauses by itself
        self._look_at = self._together_at = 0.0
        parts.debugger.step_done(position.step)
        self._world = parts.training.world
        self._ranks = RankTeller(parts.training.world, parts.reporter)
        self._has_refused = False
        self._has_others = True
        self._changed: list[tuple[str, float]] = []  # live values that the others do not know yet

    @property
    def position(self) -> Position:
        """Where the run stands."""
        return Position(step=self._step, epoch=self._epoch, batch=self._batch)

    def elapsed_s(self) -> float:
        """Return the seconds of training so far, over all sessions of the run."""
        return self._reporter.clock.elapsed_s()

    def run(self) -> FinishReason:
        """Train until the end or a stop.

        Raises :class:`~engine.train.loop.NotFiniteError` with the step, or whatever model, data or
        optimizer raise.
        """
        self._reporter.clock.go()
        try:
            self._save("start")
            self._look()
            while self._epoch < self.epochs and not self._stops:
                if self._train_epoch():
                    self._close_epoch()
            if not self._stops:
                self._test()
            if self._stops:
                self._save("stop")
            self._reporter.flush(self._epoch)
        finally:
            self._parts.saver.save_waiting()
        return FinishReason.STOPPED if self._stops else FinishReason.FINISHED

    def save_after_error(self) -> None:
        """Keep what was reached when a step raised: weights as they are, at the last whole step.

        Not for a loss that is not finite: the checkpoint before it is the one to keep.
        """
        self._has_others = False
        if self.training.has_finite_weights():
            self._save("error")

    def _train_epoch(self) -> bool:
        """Train the rest of an epoch; return whether its end was reached."""
        training, reporter = self.training, self._reporter
        schedule, every = training.schedule, training.spec.checkpoint.every_steps
        reporter.use_rates(learning_rates(training.optimizer), always=self._batch == 0)
        self._announce_look()
        self._parts.watch.step_begins()
        for result in train_epoch(training, self._epoch, self._batch, self._parts.meter):
            self._step += 1
            self._batch += 1
            reporter.step_done(self._step, result)
            self._ranks.step_done(self._step)
            self._parts.watch.step_done(self._step)
            self._parts.debugger.step_done(self._step)
            if schedule.by_step:
                reporter.use_rates(learning_rates(training.optimizer))
            if every and self._step % every == 0:
                self._save("step")
            if self._is_look_due():
                self._look()
                if self._stops:
                    return False
            self._announce_look()
            self._parts.watch.step_begins()
        return True

    def _is_look_due(self) -> bool:
        if self._world.size > 1:
            return self._world.looks
        has_stood = self._parts.debugger.take_stood()
        return has_stood or time.monotonic() >= self._look_at or self._step == self._halt_step

    def _announce_look(self) -> None:
        """Say whether a look is due after the step that comes: of several processes all take it,
        also to keep what each has of a checkpoint.
        """
        if self._world.size == 1:
            return
        step, every = self._step + 1, self.training.spec.checkpoint.every_steps
        is_kept = every > 0 and step % every == 0
        is_halt = step == self._halt_step
        self._world.wants_look = is_halt or is_kept or self._has_to_tell()

    def _has_to_tell(self) -> bool:
        """Return whether all processes are to take a look, as something was told to this one or the
        last one was long ago. What is due of the record needs none of the others.
        """
        now = time.monotonic()
        if now < self._look_at:
            return False
        self._look_at = now + _LOOK_S
        if self._journal.is_due():
            self._flush()
        is_told = self._parts.interrupt.signal != 0 or self._parts.commands.has_more()
        return is_told or self._mode is Mode.PAUSED or now >= self._together_at

    def _close_epoch(self) -> None:
        """Measure, schedule, tell and save at the end of an epoch."""
        self._flush()
        validation = evaluate_part(self.training, "validation", self._is_stopped_in_pass)
        if validation is None:
            return
        metrics = named("train", self._parts.meter.compute()) | named("validation", validation)
        is_best = self._judge(metrics)
        self.training.schedule.epoch_done(self.training.monitored(metrics))
        self._epoch += 1
        self._batch = 0
        self._parts.meter.reset()
        self.metrics |= metrics
        told = {name: value for name, value in metrics.items() if name != LOSS}
        self._reporter.tell(self._step, told)
        self._reporter.append(EpochDone(epoch=self._epoch, step=self._step, metrics=metrics))
        self._save_epoch(is_best=is_best)
        self._look()

    def _save_epoch(self, *, is_best: bool) -> None:
        """Save if the policy says so; epochs shorter than a second take turns."""
        tags = ("epoch", "best") if is_best else ("epoch",)
        is_last = self._epoch == self.epochs
        is_wanted = is_best or self._epoch % self.training.spec.checkpoint.every_epochs == 0
        is_at_once = is_last or (is_best and self._world.is_sharded)  # nobody has all in memory
        if is_at_once or (is_wanted and self._parts.saver.is_rested()):
            self._save(*tags)
        elif is_best and self.training.has_finite_weights():
            self._flush()
            self._parts.saver.keep(self._checkpoint(), tags, self.metrics)

    def _test(self) -> None:
        test = evaluate_part(self.training, "test", self._is_stopped_in_pass)
        if test:
            metrics = named("test", test)
            self.metrics |= metrics
            self._reporter.tell(self._step, metrics)

    def _judge(self, metrics: dict[str, float]) -> bool:
        value = self.training.monitored(metrics)
        if value is None or not math.isfinite(value):
            return False
        is_max = self.training.spec.checkpoint.mode == "max"
        better = self.best is None or (value > self.best if is_max else value < self.best)
        if better:
            self.best = value
        return better

    def _look(self) -> None:
        """Do what is due between two steps: commands, the record, pauses."""
        if self._step == self._halt_step:
            self._halt_step = _NEVER
            self._mode = Mode.PAUSED
        self._take_commands()
        compiled = self.training.compiled
        if compiled is not None and (problem := compiled.take_problem()) is not None:
            self._warn(problem)
        if self._journal.is_due():
            self._flush()
        if self._parts.saver.has_waiting() and self._journal.commit(durable=True):
            self._check(self._parts.saver.save_waiting())
        if self._mode is Mode.PAUSED and not self._stops:
            self._wait()
        if self._stops:
            self._save("stop")  # while the others can still keep their parts
        self._world.tell(Orders(values=tuple(self._changed), stops=self._stops))
        self._has_others = not self._stops
        self._changed.clear()
        now = time.monotonic()
        self._look_at, self._together_at = now + _LOOK_S, now + _TOGETHER_S

    def _wait(self) -> None:
        """Save and wait until the user goes on."""
        self._reporter.clock.halt()
        self._flush()
        self._save("pause")
        self._reporter.append(StateChanged(state="paused", step=self._step))
        told = time.monotonic()
        while self._is_paused() and not self._stops:
            time.sleep(_LOOK_S)
            if time.monotonic() - told > _REMIND_S:
                self._world.tell(Orders(waits=True))
                told = time.monotonic()
            self._take_commands()
            if not self._is_paused() and not self._recovers():
                self._mode = Mode.PAUSED
        if not self._stops:
            self._reporter.clock.go()
            self._reporter.append(StateChanged(state="running", step=self._step))

    def _is_paused(self) -> bool:
        return self._mode is Mode.PAUSED

    def _recovers(self) -> bool:
        """Return whether the disk takes what it did not take before."""
        return self._journal.problem is None or (
            self._journal.keep_reserve() and self._journal.commit()
        )

    def _take_commands(self) -> None:
        if self._parts.interrupt.signal:
            self._stops = True
        changed = self._parts.debugger.take_changed()
        for command in self._parts.commands.poll():
            if isinstance(command, Diagnostic):
                self._warn(command)
            else:
                changed |= self._obey(command)
        if changed:  # a change by hand is in a checkpoint at once: no crash loses it
            self._parts.saver.forget()
            self._save("knob")

    def _obey(self, command: RunCommand) -> bool:
        """Carry out a command; return whether it changed what is computed."""
        match command:
            case Pause():
                self._mode = Mode.PAUSED
            case Resume():
                self._mode = Mode.RUNNING
                self._halt_step = _NEVER
            case Step():
                self._mode = Mode.RUNNING
                self._halt_step = self._step + max(1, command.count)
            case Stop():
                self._stops = True
            case SetValue():
                return self.set_value(command.name, command.value)
            case FreeCache():
                self._free_cache()
            case _ if self._world.is_sharded:
                self._refuse_look()
            case SetBreakpoints() | DebugStep() | DebugContinue() | ReadTensor() | WriteTensor():
                self._parts.debugger.obey(command)
            case _:
                self._parts.watch.obey(command)
        return False

    def _free_cache(self) -> None:
        """Give memory of the GPUs back, in all processes, and tell how much this one had."""
        self._world.tell(Orders(task=Task.FREE))
        params: dict[str, str | int | float] = {"freed": free_cache() >> 20}
        self._warn(Diagnostic(code="R214", severity=Severity.HINT, params=params))

    def _refuse_look(self) -> None:
        """Say, once, that this process has no whole weights to look at."""
        if not self._has_refused:
            self._has_refused = True
            self._warn(Diagnostic(code="R204", severity=Severity.WARNING))

    def set_value(self, name: str, value: float) -> bool:
        """Set a live value (``optimizer.lr``, ``epochs``); return whether it could be."""
        begun = self._epoch + (1 if self._batch else 0)
        if name == "optimizer.lr" and math.isfinite(value) and value > 0:
            self.training.schedule.set_learning_rate(value)
            self._reporter.use_rates(learning_rates(self.training.optimizer))
        elif name == "epochs" and value == int(value) and value >= max(1, begun):
            self.epochs = int(value)
        else:
            params: dict[str, str | int | float] = {"name": name, "value": str(value)}
            self._warn(Diagnostic(code="R130", field=name, params=params))
            return False
        self._changed.append((name, value))
        self._reporter.append(KnobChanged(step=self._step, name=name, value=value))
        return True

    def _is_stopped_in_pass(self) -> bool:
        if self._world.size > 1:
            return False  # all go through it to its end together
        if time.monotonic() >= self._look_at:
            self._take_commands()
            self._look_at = time.monotonic() + _LOOK_S
        return self._stops

    def _flush(self) -> None:
        self._check(self._reporter.flush(self._epoch))

    def _save(self, *tags: str) -> None:
        """Write a checkpoint of this place unless there is one; pause when the disk refuses."""
        if self._parts.saver.is_saved(self.position):
            return
        self._flush()
        if not self.training.has_finite_weights():
            raise NotFiniteWeightError(self.training.odd_weight(), self._step)
        if not self._journal.commit(durable=True):
            return  # a checkpoint must not be ahead of its curve; the flush has paused the run
        self._check(self._parts.saver.save(self._checkpoint(), tags, self.metrics))

    def _checkpoint(self) -> Checkpoint:
        training = self.training
        mark = self._journal.mark()
        return Checkpoint(
            graph=self._parts.graph,
            spec=self._parts.spec,
            model=training.model.state_dict(),
            optimizer=training.optimizer.state_dict(),
            scheduler=training.schedule.state_dict(),
            scaler=training.precision.state_dict(),
            meter=self._measured(),
            random=random_state(training.device),
            position=self.position,
            epochs=self.epochs,
            elapsed_s=self._reporter.clock.elapsed_s(),
            best=self.best,
            history=self._reporter.history(),
            mark=(mark.event, mark.chunk),
        )

    def _measured(self) -> dict[str, object]:
        """Return what all processes measured of the epoch so far, those that are still there."""
        own = self._parts.meter.state_dict()
        if self._world.size == 1 or not self._batch or not self._has_others:
            return own
        self._world.tell(Orders(task=Task.MEASURE))
        return put_together(self._world.gather(own, Measured))

    def _check(self, problem: Diagnostic | None) -> None:
        """Pause the run when something could not be written."""
        if problem is not None and self._mode is Mode.RUNNING:
            self._mode = Mode.PAUSED
            self._look_at = 0.0
            self._warn(problem)

    def _warn(self, problem: Diagnostic) -> None:
        self._reporter.append(Warned(problem=problem, step=self._step))
