"""Driver of rank 0: commands, states, record and checkpoints of a run.

::

                 ┌──── Pause, disk full ────┐
                 │                          ▼
    start ──► RUNNING ◄──── Resume ───── PAUSED
                 │   ▲                    │  │
                 │   └── Step(n): n steps ┘  │
                 ├──────── Stop, signal ─────┤
                 ▼                           ▼
        FINISHED, FAILED                  STOPPED

Commands are taken between two steps (at most every 50 ms) and between two batches of an
evaluation. A stop or a pause writes a checkpoint of exactly that position, so that a resumed run
computes the same as one that was never interrupted.
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from typing_extensions import override

from engine.diagnostics import Diagnostic, Severity
from engine.events import (
    DebugContinue,
    DebugStep,
    EpochDone,
    Evaluate,
    FreeCache,
    MoveCheckpoints,
    Pause,
    ReadTensor,
    Resume,
    RunCommand,
    SaveCheckpoint,
    SetBreakpoints,
    SetValue,
    StateChanged,
    Step,
    Stop,
    Warned,
    WriteTensor,
)
from engine.runs.folder import CommandReader
from engine.runs.locked_run import Interrupt
from engine.spec.live import LiveChange
from engine.train.asked import NEVER, Asked, Mode
from engine.train.checkpoint.file import Checkpoint
from engine.train.deadline import Deadline
from engine.train.devices import free_cache, random_state
from engine.train.disk_wait import DiskWait
from engine.train.driver import Driver, StepResult
from engine.train.evaluations import Evaluations
from engine.train.finite import NotFiniteWeightError
from engine.train.live_changes import LiveChanges
from engine.train.loop import TrainingLoop
from engine.train.metrics import MeterState, merged_states
from engine.train.rank_reporter import RankReporter
from engine.train.ranks.world import Orders, Task
from engine.train.report import LOSS, Reporter
from engine.train.saver import ASKED, CheckpointSaver
from engine.train.watch.debugger import Debugger
from engine.train.watch.watch import Watch

_POLL_S = 0.05
_SYNC_S = 1.0  # synchronizing holds all ranks up
_KEEPALIVE_S = 60.0  # after a long silence the other ranks would take this one for lost


class FinishReason(StrEnum):
    """Why :meth:`Runner.run` came back (a failure raises)."""

    FINISHED = "finished"
    STOPPED = "stopped"


@dataclass(frozen=True, kw_only=True)
class RunnerParts:
    """What a runner works with, made by :mod:`engine.train.session`."""

    loop: TrainingLoop
    reporter: Reporter
    saver: CheckpointSaver
    commands: CommandReader
    interrupt: Interrupt
    graph: str
    spec: str
    watch: Watch
    debugger: Debugger
    asked: Asked
    replay: Sequence[LiveChange] = ()


class Runner(Driver):
    """Driver of rank 0, on the thread that calls :meth:`run`."""

    def __init__(self, parts: RunnerParts) -> None:
        self.loop = parts.loop
        self.best: float | None = None
        self._training = parts.loop.training
        self._world = parts.loop.training.world
        self._reporter = parts.reporter
        self._journal = parts.reporter.journal
        self._parts = parts
        self._asked = parts.asked
        self._disk = DiskWait()
        self.loop.is_stopping = parts.asked.to_stop
        self._poll_at = self._sync_at = 0.0
        parts.debugger.step_done(self.loop.step)
        self._ranks = RankReporter(self._world, parts.reporter)
        self._has_refused = False
        self._deadline = Deadline(parts.loop, parts.reporter.clock)
        self.changes = LiveChanges(self.loop, parts.reporter, parts.replay)
        self._evaluations = Evaluations(parts.loop, parts.reporter, self.changes)
        self._has_other_ranks = True

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
            self.loop.run(self)
            if self.loop.is_stopping:
                self._save("stop")
            self._reporter.flush(self.loop.epoch)
        finally:
            self._check(self._parts.saver.save_waiting())
        return FinishReason.STOPPED if self.loop.is_stopping else FinishReason.FINISHED

    def save_after_error(self) -> None:
        """Keep what was reached when a step raised: weights as they are, at the last whole step.

        Not for a loss that is not finite: the checkpoint before it is the one to keep.
        """
        self._has_other_ranks = False
        if self._training.has_finite_weights():
            self._save("error")

    @override
    def epoch_started(self) -> None:
        self._reporter.use_rates(self._training.rates(), always=self.loop.batch == 0)

    @override
    def step_started(self) -> None:
        self._announce_sync()
        self._parts.watch.step_started()

    @override
    def step_done(self, result: StepResult) -> None:
        step, parts = self.loop.step, self._parts
        if (skipping := self._training.skipping) is not None and result.is_skipped:
            self._warn(skipping.first_of_epoch(step, result.loss))
        else:
            self._reporter.step_done(step, result)
        self._ranks.step_done(step)
        parts.watch.step_done(step)
        parts.debugger.step_done(step)
        if self._training.phases.by_step:
            self._reporter.use_rates(self._training.rates())
        self._evaluations.step_done()
        if self._is_checkpoint_step(step) and not self._evaluations.is_due:
            self._save("step", beside=True)

    @override
    def is_sync_due(self) -> bool:
        if self._world.size > 1:
            return self._world.is_sync_due
        is_due = self._parts.debugger.take_stopped() or self._evaluations.is_due
        is_due = is_due or self._is_asked_at(self.loop.step)
        return is_due or time.monotonic() >= self._poll_at

    def _is_asked_at(self, step: int) -> bool:
        """Return whether a pause or a change of a replay follows a step."""
        return step == self._asked.pause_step or self.changes.is_due(step)

    def _is_checkpoint_step(self, step: int) -> bool:
        every = self._training.spec.checkpoint.every_steps
        return every > 0 and step % every == 0

    def _announce_sync(self) -> None:
        """Announce whether rank 0 wants all ranks to synchronize after the step that follows, also
        to save what each has of a checkpoint.
        """
        if self._world.size == 1:
            return
        step = self.loop.step + 1
        self._world.wants_sync = (
            self._is_checkpoint_step(step)
            or self._is_asked_at(step)
            or self._evaluations.follows_next_step()
            or self._has_news()
        )

    def _has_news(self) -> bool:
        """Return whether there is a command for all ranks, or they have not synchronized for long.
        Records that are due are written meanwhile: they need no other rank.
        """
        now = time.monotonic()
        if now < self._poll_at:
            return False
        self._poll_at = now + _POLL_S
        if self._journal.is_due():
            self._flush()
        has_command = self._parts.interrupt.signal != 0 or self._parts.commands.has_more()
        has_command |= self._deadline.is_reached()
        return has_command or self._asked.mode is Mode.PAUSED or now >= self._sync_at

    @override
    def epoch_trained(self) -> None:
        self._flush()  # the losses count for the metrics of the epoch
        if (skipping := self._training.skipping) is not None:
            per_epoch = self._training.steps_per_epoch
            self._warn(skipping.count_of_epoch(self.loop.epoch + 1, per_epoch))

    @override
    def ended_early(self, reason: Diagnostic) -> None:
        self.changes.record("epochs", float(self.loop.length.epochs), None, "technique")
        self._warn(reason)

    @override
    def epoch_done(self, metrics: dict[str, float]) -> None:
        is_best = self._update_best(metrics)
        loop, reporter = self.loop, self._reporter
        values = {name: value for name, value in metrics.items() if name != LOSS}
        reporter.record(loop.step, values)
        reporter.append(EpochDone(epoch=loop.epoch, step=loop.step, metrics=metrics))
        self._save_epoch(is_best=is_best)

    @override
    def ended_midway(self, metrics: dict[str, float]) -> None:
        self._evaluations.record(metrics)
        self._evaluated(metrics)
        self._save("end")

    @override
    def test_done(self, metrics: dict[str, float]) -> None:
        self._reporter.record(self.loop.step, metrics)

    def _save_epoch(self, *, is_best: bool) -> None:
        """Save if the policy says so; epochs shorter than a second take turns."""
        tags = ("epoch", "best") if is_best else ("epoch",)
        is_last = self.loop.is_over
        is_wanted = is_best or self.loop.epoch % self._training.spec.checkpoint.every_epochs == 0
        is_at_once = is_last or (is_best and self._world.is_sharded)  # nobody has all in memory
        # Where a run goes back to must not depend on how long an epoch takes.
        is_at_once |= is_wanted and self._training.spec.non_finite == "roll_back"
        if is_at_once or (is_wanted and self._parts.saver.is_rested()):
            self._save(*tags, beside=not is_last)
        elif is_best and self._training.has_finite_weights():
            self._flush()
            self._parts.saver.keep_in_memory(self._checkpoint(), tags, self.loop.metrics)

    def _update_best(self, metrics: dict[str, float]) -> bool:
        value = self._training.monitored(metrics)
        if value is None or not math.isfinite(value):
            return False
        is_max = self._training.spec.checkpoint.mode == "max"
        better = self.best is None or (value > self.best if is_max else value < self.best)
        if better:
            self.best = value
        return better

    @override
    def synchronize(self) -> None:
        """Take commands, write what is due, wait while paused, and tell the other ranks how the run
        goes on.
        """
        if self.loop.step == self._asked.pause_step:
            self._asked.pause_step = NEVER
            self._asked.mode = Mode.PAUSED
        self._take_commands()
        if (compiled := self._training.compiled) is not None:
            self._warn(compiled.take_problem())
        if self._journal.is_due():
            self._flush()
        if self._parts.saver.is_written():
            self._check(self._parts.saver.finish())
        if self._parts.saver.has_waiting() and self._journal.commit(durable=True):
            self._check(self._parts.saver.save_waiting(beside=True))
        self._evaluate()
        if self._asked.mode is Mode.PAUSED and not self.loop.is_stopping:
            self._wait_for_resume()
        if (reason := self._deadline.end()) is not None:
            self._warn(reason)
            if not self.loop.batch:
                self._save("end")  # else once the rest of the epoch is evaluated
        if self.loop.is_stopping:
            self._save("stop")  # while the other ranks can still save their shards
        orders = Orders(
            values=self.changes.take(),
            stops=self.loop.is_stopping,
            is_time_over=self.loop.is_time_over,
        )
        self._world.broadcast(orders, Orders)
        self._has_other_ranks = not self.loop.is_stopping
        now = time.monotonic()
        self._poll_at, self._sync_at = now + _POLL_S, now + _SYNC_S

    def _wait_for_resume(self) -> None:
        """Save and wait until the user goes on."""
        self._reporter.clock.halt()
        self._flush()
        self._save("pause")
        self._reporter.append(StateChanged(state="paused", step=self.loop.step))
        sent_at, rest = time.monotonic(), _POLL_S / 32  # who steps batch by batch goes on soon
        while self._is_paused() and not self.loop.is_stopping:
            time.sleep(rest := min(2 * rest, _POLL_S))
            if time.monotonic() - sent_at > _KEEPALIVE_S:
                self._world.broadcast(Orders(waits=True), Orders)
                sent_at = time.monotonic()
            self._take_commands()
            self._evaluate()
            if self._disk.is_due() and self._recovers() and self._has_room():
                self._asked.mode = Mode.RUNNING
            elif not self._is_paused() and not self._recovers():
                self._asked.mode = Mode.PAUSED
        self._disk.end()
        if not self.loop.is_stopping:
            self._reporter.clock.go()
            self._reporter.append(StateChanged(state="running", step=self.loop.step))

    def _is_paused(self) -> bool:
        return self._asked.mode is Mode.PAUSED

    def _recovers(self) -> bool:
        """Return whether the disk takes what it did not take before."""
        return self._journal.problem is None or (
            self._journal.keep_reserve() and self._journal.commit()
        )

    def _has_room(self) -> bool:
        """Return whether the checkpoint of this position is written, or can be now."""
        saver = self._parts.saver
        if saver.finish() is not None or not self._journal.commit(durable=True):
            return False
        if saver.is_saved(self.loop.position):
            return True
        return saver.save(self._checkpoint(), ("pause",), self.loop.metrics) is None

    def _take_commands(self, *, is_evaluating: bool = False) -> None:
        """Carry out what was told. Values are set between two steps: amid an evaluation one part of
        it would have the old one, and no replay could repeat that.
        """
        if self._parts.interrupt.signal:
            self.loop.is_stopping = True
        is_changed = self._parts.debugger.take_changed()
        is_changed |= self.changes.replay()
        for command in self._parts.commands.poll():
            if isinstance(command, Diagnostic):
                self._warn(command)
            elif is_evaluating and isinstance(command, SetValue):
                self._parts.commands.put_back(command)
            else:
                is_changed |= self._execute(command)
        if is_changed:  # a change by hand is in a checkpoint at once: no crash loses it
            self._parts.saver.forget()
            self._save("knob")

    def _execute(self, command: RunCommand) -> bool:
        """Carry out a command; return whether it changed what is computed."""
        match command:
            case Pause():
                self._asked.mode = Mode.PAUSED
                self._disk.end()
            case Resume():
                self._asked.mode = Mode.RUNNING
                self._asked.pause_step = NEVER
            case Step():
                self._asked.mode = Mode.RUNNING
                self._asked.pause_step = self.loop.step + max(1, command.count)
            case Stop():
                self.loop.is_stopping = True
            case SaveCheckpoint():
                self._parts.saver.forget()  # also where one is there that will not be kept
                self._save(ASKED)
            case Evaluate():
                self._evaluations.ask()
            case MoveCheckpoints():
                self._move_checkpoints(Path(command.folder))
            case SetValue():
                return self.changes.set(command.name, command.value)
            case FreeCache():
                self._free_cache()
            case _ if self._world.is_sharded:
                self._refuse_to_inspect()
            case SetBreakpoints() | DebugStep() | DebugContinue() | ReadTensor() | WriteTensor():
                self._parts.debugger.handle(command)
            case _:
                self._parts.watch.handle(command)
        return False

    def _evaluate(self) -> None:
        """Evaluate between two steps where it is time to."""
        found = None if self.loop.is_stopping else self._evaluations.take()
        if isinstance(found, Diagnostic):
            self._warn(found)
        elif found is not None and not found.is_asked:
            self._evaluated(found.metrics)

    def _evaluated(self, metrics: dict[str, float]) -> None:
        """Take what the recipe had evaluated within an epoch for the best checkpoint."""
        self.loop.metrics |= metrics
        if self._training.spec.checkpoint.monitor in metrics and self._update_best(metrics):
            self._save("best", "step", beside=True)
        elif self._is_checkpoint_step(self.loop.step):
            self._save("step", beside=True)

    def _move_checkpoints(self, folder: Path) -> None:
        """Keep the checkpoints elsewhere from now on, and say where, or what prevents it."""
        for problem in self._parts.saver.move(folder):
            self._warn(problem)

    def _free_cache(self) -> None:
        """Give cached memory of the GPUs back on all ranks, and tell how much this one had."""
        self._world.broadcast(Orders(task=Task.FREE_CACHE), Orders)
        self._warn(Diagnostic.of("R214", severity=Severity.HINT, freed=free_cache() >> 20))

    def _refuse_to_inspect(self) -> None:
        """Warn, once, that weights are sharded: no rank has whole ones to look at."""
        if not self._has_refused:
            self._has_refused = True
            self._warn(Diagnostic(code="R204", severity=Severity.WARNING))

    @override
    def is_interrupted(self) -> bool:
        if self._world.size > 1:
            return False  # all ranks evaluate to the end together
        if time.monotonic() >= self._poll_at:
            self._take_commands(is_evaluating=True)
            self._poll_at = time.monotonic() + _POLL_S
        return self.loop.is_stopping

    def _flush(self) -> None:
        self._check(self._reporter.flush(self.loop.epoch))

    def _save(self, *tags: str, beside: bool = False) -> None:
        """Write a checkpoint of this position unless there is one, ``beside`` training where that
        is worth it; pause when the disk refuses.
        """
        if not beside:
            self._check(self._parts.saver.finish())
        if self._parts.saver.is_saved(self.loop.position):
            return
        self._flush()
        if not self._training.has_finite_weights():
            raise NotFiniteWeightError(self._training.non_finite_weight(), self.loop.step)
        if not self._journal.commit(durable=True):
            return  # a checkpoint must not be ahead of its curve; the flush has paused the run
        saver, metrics = self._parts.saver, self.loop.metrics
        self._check(saver.save(self._checkpoint(), tags, metrics, beside=beside))

    def _checkpoint(self) -> Checkpoint:
        mark = self._journal.mark()
        return Checkpoint(
            graph=self._parts.graph,
            spec=self._parts.spec,
            **self._training.state()._asdict(),
            meter=self._meter_state(),
            random=random_state(self._training.device),
            position=self.loop.position,
            **self.loop.length._asdict(),
            elapsed_s=self._reporter.clock.elapsed_s(),
            best=self.best,
            history=self._reporter.history(),
            mark=(mark.event, mark.chunk),
            tokenizers=self._training.data.source.used_tokenizers(),
        )

    def _meter_state(self) -> dict[str, object]:
        """Return the partial epoch over all ranks that are still there."""
        own = self.loop.meter.state_dict()
        if self._world.size == 1 or not self.loop.batch or not self._has_other_ranks:
            return own
        self._world.broadcast(Orders(task=Task.GATHER_METRICS), Orders)
        return merged_states(self._world.gather(own, MeterState))

    def _check(self, problem: Diagnostic | None) -> None:
        """Pause the run when something could not be written."""
        if problem is not None and self._asked.mode is Mode.RUNNING:
            self._asked.mode = Mode.PAUSED
            self._poll_at = 0.0
            self._disk.begin(problem)
            self._warn(problem)

    def _warn(self, problem: Diagnostic | None) -> None:
        if problem is not None:
            self._reporter.append(Warned(problem=problem, step=self.loop.step))
