"""Carrying out a search: asks for settings, trains them as ordinary runs, tells how they went."""

import math
import os
import time
import traceback
from dataclasses import dataclass

import msgspec

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.events import EpochDone, Pause, Resume, RunCommand, Stop
from engine.query.ask import ask
from engine.query.model.request import FitModels
from engine.runs.folder import CommandReader, RunFolder, find_run
from engine.runs.follow import RunFollower, read_state
from engine.runs.record.state import RunState, RunStatus
from engine.runs.search import SearchFolder, SearchState, SearchStatus, TrialRecord, TrialStatus
from engine.runtime.run import RunHandle, resume_run, start_run
from engine.runtime.sharing import gpu_count, spread
from engine.runtime.standby import Standby
from engine.runtime.study import OpenTrial, Study
from engine.spec.run import RunSpec
from engine.spec.search import with_settings

_POLL_S = 0.1
_REPORTS = 50  # of a trial to the pruner at most, each a commit of some 30 ms
_UNKNOWN_MACHINE = "R418"
_HOPELESS = 5  # trials in a row that could not even be begun


@dataclass(kw_only=True)
class _Live:
    """A trial that is being trained."""

    asked: OpenTrial
    handle: RunHandle
    follower: RunFollower
    is_pruned: bool = False
    is_told: bool = False  # to stop


class SearchJob:
    """One search, from this process's beginning to its end. ``stop`` may be called from a signal
    handler; all else from one thread.
    """

    def __init__(self, folder: SearchFolder, start: int, *, trials: int, trusted: bool) -> None:
        self._folder = folder
        self._search = folder.document.search
        self._trusted = trusted
        self._commands = CommandReader(folder.commands_path, start)
        self._every = max(1, folder.document.spec.epochs // _REPORTS)
        self._standby = Standby()
        self._gpus = gpu_count() if self._search.parallel > 1 else 0
        self._live: dict[int, _Live] = {}
        self._status = SearchStatus.RUNNING
        self._is_stopping = False
        self._refused: list[Diagnostic] = []
        self._problem: Diagnostic | None = None  # that every trial would meet
        self._importance: dict[str, float] = {}
        self._written: SearchState | None = None
        told = folder.reported_state()
        folder.write_state(msgspec.structs.replace(told, status=SearchStatus.STARTING))
        self._study = Study(folder)
        if trials:
            self._study.set_total(trials)
        self._records = self._study.records({trial.number: trial for trial in told.trials})

    def stop(self) -> None:
        """Stop the trials that are being trained, and then the search; both can go on later."""
        self._is_stopping = True

    def run(self) -> SearchStatus:
        """Carry the search out to its end and return how it ended."""
        problem: Diagnostic | None = None
        try:
            self._importance = self._study.importance()
            self._take_up()
            while not self._is_over():
                self._step()
            status = self._ending()
        except DiagnosticError as error:
            status, problem = SearchStatus.FAILED, error.problems[0]
        except Exception as error:  # noqa: BLE001 - told in the state and in the log
            traceback.print_exc()
            status = SearchStatus.FAILED
            problem = Diagnostic(code="R315", detail=f"{type(error).__name__}: {error}")
        finally:
            self._standby.close()
            for live in self._live.values():
                live.follower.close()
        if self._problem is not None:
            status, problem = SearchStatus.FAILED, self._problem
        self._write(status, problem)
        self._study.close()
        return status

    def _ending(self) -> SearchStatus:
        return SearchStatus.STOPPED if self._is_stopping else SearchStatus.FINISHED

    def _is_over(self) -> bool:
        if self._live:
            return False
        return self._is_stopping or self._study.count >= self._study.total

    def _step(self) -> None:
        """Take commands, look at the trials, begin others where there is room."""
        for command in self._commands.poll():
            if isinstance(command, Pause | Resume | Stop):
                self._obey(command)
        for live in list(self._live.values()):
            self._look(live)
        if self._is_stopping:
            self._stop_all()
        elif self._has_room():
            self._begin(self._study.ask())
        elif len(self._live) == self._search.parallel and self._study.count < self._study.total:
            self._standby.prepare()  # the next trial begins at once
        self._write(self._status)
        time.sleep(_POLL_S)

    def _give_up(self, problem: Diagnostic) -> None:
        """End the search with what every trial would meet."""
        self._problem = problem
        self.stop()

    def _has_room(self) -> bool:
        is_running = self._status is SearchStatus.RUNNING
        is_free = len(self._live) < self._search.parallel
        return is_running and is_free and self._study.count < self._study.total

    def _obey(self, command: RunCommand) -> None:
        match command:
            case Pause():
                self._status = SearchStatus.PAUSED
                self._send_all(command)
            case Resume():
                self._status = SearchStatus.RUNNING
                self._send_all(command)
            case _:
                self.stop()

    def _send_all(self, command: RunCommand) -> None:
        for live in self._live.values():
            live.handle.send(command)

    def _stop_all(self) -> None:
        for live in self._live.values():
            if not live.is_told:
                live.is_told = True
                live.handle.send(Stop())

    def _take_up(self) -> None:
        """Go on with the trials that an earlier process left."""
        for asked in self._study.unfinished():
            folder = self._known_run(asked)
            state = None if folder is None else read_state(folder)
            if folder is None or state is None:
                self._begin(asked)
            elif folder.is_alive() or state.status is RunStatus.FINISHED:
                self._follow(asked, RunHandle(folder))
            elif state.checkpoints:
                self._resume(asked)
            else:
                self._begin(asked)

    def _known_run(self, asked: OpenTrial) -> RunFolder | None:
        if not asked.run:
            return None
        try:
            return find_run(self._folder.project, asked.run)
        except DiagnosticError:
            return None  # deleted meanwhile: it is trained anew

    def _begin(self, asked: OpenTrial) -> None:
        """Train the settings of a trial; what cannot be trained is told as a failed trial."""
        document = self._folder.document
        try:
            graph, spec = with_settings(document.graph, document.spec, asked.settings)
            if any(name.startswith("data.") for name in asked.settings):
                (model,) = ask(FitModels(graph=graph, specs=(spec,))).models
                graph = model.graph
            handle = start_run(
                self._folder.project,
                graph,
                spread(self._trial_spec(spec), self._handles(), self._gpus),
                f"{document.name} #{asked.number + 1}",
                standby=self._standby,
                trusted=self._trusted,
            )
        except DiagnosticError as error:
            self._refuse(asked, error.problems[0])
            return
        self._study.note_run(asked.number, handle.folder.id)
        self._follow(asked, handle)

    def _handles(self) -> list[RunHandle]:
        return [live.handle for live in self._live.values()]

    def _resume(self, asked: OpenTrial) -> None:
        try:
            handle = resume_run(
                self._folder.project, asked.run, standby=self._standby, trusted=self._trusted
            )
        except DiagnosticError as error:
            problem = error.problems[0]
            if problem.code == _UNKNOWN_MACHINE:
                self._give_up(problem)  # the trial stays: the user may agree to the machine
            else:
                self._refuse(asked, problem)
            return
        self._follow(asked, handle)

    def _refuse(self, asked: OpenTrial, problem: Diagnostic) -> None:
        self._refused.append(problem)
        self._records[asked.number] = TrialRecord(
            number=asked.number,
            status=TrialStatus.FAILED,
            settings=asked.settings,
            run=asked.run,
            problem=problem,
        )
        self._study.end(asked.number, TrialStatus.FAILED, None)
        if len(self._refused) >= _HOPELESS:
            self._give_up(problem)

    def _follow(self, asked: OpenTrial, handle: RunHandle) -> None:
        self._refused.clear()
        follower = RunFollower(handle.folder)
        self._live[asked.number] = _Live(asked=asked, handle=handle, follower=follower)
        known = self._records.get(asked.number)
        self._records[asked.number] = TrialRecord(
            number=asked.number,
            status=TrialStatus.RUNNING,
            settings=asked.settings,
            value=known.value if known else None,
            run=handle.folder.id,
        )

    def _trial_spec(self, spec: RunSpec) -> RunSpec:
        """Return the recipe of a trial: its best checkpoint is the one that is looked for, it has
        a process of its own, and trials side by side share the cores.
        """
        search = self._search
        checkpoint = msgspec.structs.replace(
            spec.checkpoint, monitor=search.monitor, mode=search.mode
        )
        threads = spec.threads
        if search.parallel > 1 and not threads:
            threads = max(1, ((os.cpu_count() or 1) - 1) // search.parallel)
        mode = "process" if spec.mode == "thread" else spec.mode
        return msgspec.structs.replace(spec, checkpoint=checkpoint, threads=threads, mode=mode)

    def _look(self, live: _Live) -> None:
        """Take in what a trial told since the last look."""
        is_alive = live.handle.is_alive()  # before reading, so that the last event is seen
        state, events = live.follower.poll()
        for stored in events:
            if isinstance(stored.event, EpochDone):
                self._measure(live, stored.event)
        number = live.asked.number
        self._records[number] = msgspec.structs.replace(
            self._records[number], epoch=state.epoch, seconds=state.elapsed_s
        )
        if not is_alive:
            self._settle(live, state)

    def _measure(self, live: _Live, event: EpochDone) -> None:
        number = live.asked.number
        value = event.metrics.get(self._search.monitor)
        if value is None or not math.isfinite(value):
            return
        record = self._records[number]
        choose = max if self._search.mode == "max" else min
        best = value if record.value is None else choose(record.value, value)
        self._records[number] = msgspec.structs.replace(record, value=best)
        is_due = event.epoch % self._every == 0 and self._search.pruner != "none"
        if is_due and self._study.report(number, event.epoch, value) and not live.is_told:
            live.is_pruned = live.is_told = True
            live.handle.send(Stop())

    def _settle(self, live: _Live, state: RunState) -> None:
        """Take note of the end of a trial."""
        live.follower.close()
        number = live.asked.number
        del self._live[number]
        record = self._records[number]
        status, problem = self._outcome(live, state, record.value)
        if status is TrialStatus.RUNNING:
            return  # it was stopped with the search and goes on with it
        self._records[number] = msgspec.structs.replace(record, status=status, problem=problem)
        self._study.end(number, status, record.value)
        if problem is not None and problem.code == "R314":
            self._give_up(problem)
        if status is TrialStatus.FINISHED:
            self._importance = self._study.importance()

    def _outcome(
        self, live: _Live, state: RunState, value: float | None
    ) -> tuple[TrialStatus, Diagnostic | None]:
        match state.status:
            case RunStatus.FINISHED if value is not None:
                return TrialStatus.FINISHED, None
            case RunStatus.FINISHED:
                return TrialStatus.FAILED, self._unmeasured(state)
            case RunStatus.STOPPED if not self._is_stopping or live.is_pruned:
                return TrialStatus.PRUNED, None
            case RunStatus.FAILED:
                return TrialStatus.FAILED, state.problem
            case _ if self._is_stopping:
                return TrialStatus.RUNNING, None
            case _:
                return TrialStatus.FAILED, state.problem

    def _unmeasured(self, state: RunState) -> Diagnostic:
        """Return why a run that went to its end has no value."""
        monitor = self._search.monitor
        if monitor in state.metrics:
            return Diagnostic(code="R313", params={"monitor": monitor})
        known = ", ".join(state.metrics)
        return Diagnostic(code="R314", params={"monitor": monitor, "known": known})

    def _write(self, status: SearchStatus, problem: Diagnostic | None = None) -> None:
        state = SearchState(
            status=status,
            total=self._study.total,
            trials=tuple(self._records[number] for number in sorted(self._records)),
            importance=self._importance,
            problem=problem,
        )
        if state != self._written:
            self._folder.write_state(state)
            self._written = state
