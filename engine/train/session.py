"""Session of a worker that trains a run: from the folder to the last event.

Whatever happens, a session that began ends with exactly one ``RunEnded``, and everything
process-wide that it changed is put back.
"""

import os
import sys
import time
import traceback
from typing import Literal

import msgspec

from engine.custom.module import last_custom_line
from engine.custom.trust import require_trust, set_trust
from engine.data.load.loader import lost_worker
from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.events import RunEnded, RunStarted, Warned
from engine.files import open_append
from engine.graph.code import runs_code
from engine.inspect.node_path import NodePaths
from engine.inspect.origin import error_origin
from engine.model.module import node_of_traceback
from engine.model.source import Generated, generate_whole
from engine.runs.follow import read_state
from engine.runs.locked_run import Interrupt, LockedRun
from engine.runs.process.agent import agent
from engine.runs.record.log import LogTail
from engine.runs.record.store import RunStore
from engine.train.anomaly import find_cause
from engine.train.asked import Asked
from engine.train.devices import free_cache, run_settings
from engine.train.failure import explain_backward, hint, is_out_of_memory
from engine.train.finite import NotFiniteError, NotFiniteGradientError, NotFiniteWeightError
from engine.train.follower import broadcast_start
from engine.train.preparation import prepare
from engine.train.ranks.process_group import join
from engine.train.ranks.rank_failure import (
    RESTART_CODES,
    describe_lost,
    is_intended_stop,
    record_restart,
)
from engine.train.ranks.world import ALONE, is_lost, local_world_size
from engine.train.rollback import Rollback
from engine.train.runner import Runner


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """How a session ended; ``again``: its processes are started again and go on; ``back``: it goes
    on from an earlier checkpoint. ``has_lost_ranks``: the ranks that are left wait for a verdict.
    """

    reason: Literal["finished", "stopped", "failed", "again", "back"]
    problem: Diagnostic | None = None
    has_lost_ranks: bool = False


def train(locked_run: LockedRun, interrupt: Interrupt) -> Ending:
    """Train a locked run on this thread, from the start or a checkpoint, to its end."""
    return _Session(locked_run, interrupt).run()


class _Session:
    def __init__(self, locked_run: LockedRun, interrupt: Interrupt) -> None:
        self._locked_run = locked_run
        self._folder = locked_run.folder
        self._interrupt = interrupt
        self._generated = Generated()
        self._runner: Runner | None = None
        self._world = ALONE
        self._asked = Asked(interrupt)
        self._back: Rollback | None = None
        self._log_tail = LogTail(self._folder.log_path)
        self._log_tail.read()  # skips the output of earlier sessions

    def run(self) -> Ending:
        """Train and record the end."""
        ending = Ending(reason="failed", problem=Diagnostic(code="R135"))
        try:
            ending = self._train()
            while ending.reason == "back":
                free_cache()  # what was made for it before holds as much again
                ending = self._train()
        finally:
            if ending.reason == "again":
                self._record_restart(ending)
            else:
                self._locked_run.end(self._last_event(ending))
            if ending.has_lost_ranks or ending.reason == "failed":
                self._world.decide(again=ending.reason == "again")
        return ending

    def _train(self) -> Ending:
        document = self._folder.document
        try:
            with run_settings(document.spec, local_world_size()):
                set_trust(document.graph.code, trusted=self._locked_run.launch.trusted)
                if runs_code(document.graph):
                    require_trust(document.graph.code)
                self._generated = generate_whole(document.graph)
                self._world = join(
                    self._folder.path,
                    document.spec.processes.timeout_s,
                    sharded=self._locked_run.launch.sharded,
                )
                self._record_loss_of_rank_0()
                self._runner = prepare(
                    self._locked_run, self._generated, self._asked, self._world, self._back
                )
                broadcast_start(self._runner.loop)
                reason = self._runner.run().value
                self._world.close()
                return Ending(reason=reason, problem=self._interrupt.problem)
        except DiagnosticError as error:
            self._log(error)
            return Ending(reason="failed", problem=error.problems[0])
        except NotFiniteError as error:
            return self._after_not_finite(error)
        except Exception as error:  # noqa: BLE001 - a layer, a loss or data may raise anything: told, kept, ended
            self._log(error)
            self._world.answer(error)  # before a checkpoint, which takes time
            self._save_progress()
            if is_lost(error):
                return self._after_lost_ranks(error)
            return Ending(reason="failed", problem=self._problem_of(error))

    def _after_not_finite(self, error: NotFiniteError) -> Ending:
        """Return the ending after a step that is not finite: the run goes on from the checkpoint
        before, where that is its rule and may help.
        """
        runner = self._runner
        assert runner is not None
        cause = self._cause(error)
        step = error.step or runner.loop.step + 1
        training, is_traced = runner.loop.training, self._locked_run.launch.trace is not None
        back = cause if is_traced else Rollback.after(error, training, step, cause)
        if isinstance(back, Rollback):
            self._back, self._runner = back, None
            self._asked.to_stop = runner.loop.is_stopping
            return Ending(reason="back")
        if back is not cause:  # what is wrong at last, beside that it went back in vain
            told = msgspec.structs.replace(cause, severity=Severity.WARNING)
            self._locked_run.journal.append(Warned(time=time.time(), problem=told, step=step))
        return Ending(reason="failed", problem=back)

    def _after_lost_ranks(self, error: Exception) -> Ending:
        """Return the ending after a collective failed: a stop, where one was asked for, or which
        ranks were lost and whether all are started again.
        """
        lost = self._world.find_lost(error)
        if is_intended_stop(self._folder, lost):
            return Ending(reason="stopped", has_lost_ranks=True)
        step = self._runner.loop.step + 1 if self._runner else 0
        problem = describe_lost(self._folder, lost, step, self._world.collective)
        self._record_hint(problem.detail or "\n".join(self._log_tail.read()), step)
        is_again = problem.severity is Severity.WARNING
        return Ending(
            reason="again" if is_again else "failed", problem=problem, has_lost_ranks=True
        )

    def _record_loss_of_rank_0(self) -> None:
        """After a restart that nobody recorded, record that rank 0 was the one that was lost."""
        starter = agent()
        if starter is None or not self._locked_run.restart:
            return
        with RunStore.open(self._folder.path) as store:
            events = [stored.event for stored in store.events()]
        for event in reversed(events):
            if isinstance(event, Warned) and event.problem.code in RESTART_CODES:
                return
            if isinstance(event, RunStarted):
                break
        params: dict[str, str | int | float] = {"round": starter.round, "most": starter.most}
        problem = Diagnostic(code="R179", severity=Severity.WARNING, params=params)
        self._locked_run.journal.append(Warned(time=time.time(), problem=problem))

    def _record_restart(self, ending: Ending) -> None:
        assert ending.problem is not None
        step = self._runner.loop.step if self._runner else 0
        record_restart(self._locked_run.journal, self._folder, ending.problem, step)

    def _record_hint(self, text: str, step: int) -> None:
        """Record what a common message of PyTorch means, after an error in a step."""
        meaning = hint(text, step)
        if meaning is not None:
            self._locked_run.journal.append(
                Warned(time=time.time(), problem=meaning, step=step - 1)
            )

    def _cause(self, error: NotFiniteError) -> Diagnostic:
        """Return where a loss that is not finite comes from, as far as that can be told."""
        assert self._runner is not None
        step = error.step or self._runner.loop.step + 1
        params: dict[str, str | int | float]
        if isinstance(error, NotFiniteGradientError):
            layer = error.weight.rpartition(".")[0] or error.weight
            params = {"step": step, "layer": layer, "loss": f"{error.loss:.6g}"}
            return self._at_node(Diagnostic(code="R483", node=layer, params=params))
        if isinstance(error, NotFiniteWeightError):
            params = {"step": step, "weight": error.weight or "…"}
            return self._at_node(
                Diagnostic(code="R215", node=error.weight.rpartition(".")[0], params=params)
            )
        if (
            error.batch is None or self._world.is_sharded
        ):  # the other ranks would have to go forward too
            return Diagnostic(code="R136", params={"step": step, "loss": str(error.loss)})
        training = self._runner.loop.training
        return self._at_node(find_cause(training, error.batch, step, error.loss, self._node_paths))

    def _at_node(self, problem: Diagnostic) -> Diagnostic:
        """Return a diagnostic about a layer with the id of its node, where the layer is one."""
        nodes = self._folder.document.graph.nodes.values()
        node = next((node.id for node in nodes if node.name == problem.node), None)
        return msgspec.structs.replace(problem, node=node)

    def _save_progress(self) -> None:
        if self._runner is None or self._world.is_sharded:  # the other ranks have their shards
            return
        try:
            self._runner.save_after_error()
        except (NotFiniteError, DiagnosticError, RuntimeError) as error:
            self._log(error)

    def _problem_of(self, error: Exception) -> Diagnostic:
        step = self._runner.loop.step + 1 if self._runner else 0
        known = lost_worker(error) or self._explain_backward(error, step)
        if known is not None:
            return known
        params: dict[str, str | int | float] = {"step": step, "kind": type(error).__name__}
        node = self._node_path(error) or node_of_traceback(error, self._generated.lines)
        detail = str(error).strip() or type(error).__name__
        code_line = last_custom_line(error, self._generated.code_lines)
        if code_line is not None:
            params |= {"file": code_line[0], "line": code_line[1]}
            self._record_hint(detail, step)
            return Diagnostic(code="U031", node=node, params=params, detail=detail)
        code = "R138" if isinstance(error, MemoryError) or is_out_of_memory(detail) else "R137"
        if isinstance(error, IndexError) and "out of range in self" in detail:
            code = "R146"
        if code == "R137":
            self._record_hint(detail, step)
        return Diagnostic(code=code, node=node, params=params, detail=detail)

    @property
    def _node_paths(self) -> NodePaths:
        return NodePaths(
            self._folder.document.graph, self._generated.lines, self._generated.code_lines
        )

    def _node_path(self, error: Exception) -> str:
        """Return the path of the node, inside of blocks too, that an error was raised in."""
        if self._runner is None:
            return ""
        origin = error_origin(error, self._runner.loop.training.model)
        return "" if origin is None else self._node_paths.path(origin)

    def _explain_backward(self, error: Exception, step: int) -> Diagnostic | None:
        """Return what was wrong with the autograd graph where a backward pass failed; the graph is
        kept as an artefact.
        """
        if self._runner is None or self._world.is_sharded:
            return None
        training, artefacts = self._runner.loop.training, self._folder.artefacts
        explained = explain_backward(training, error, self._node_paths, artefacts, step)
        if explained is None:
            return None
        problem, captured = explained
        self._locked_run.journal.append(captured)
        return problem

    def _last_event(self, ending: Ending) -> RunEnded:
        assert ending.reason not in ("again", "back")
        runner = self._runner
        step, epoch = (runner.loop.step, runner.loop.epoch) if runner else self._reached()
        return RunEnded(
            time=time.time(),
            elapsed_s=runner.elapsed_s() if runner else 0.0,
            reason=ending.reason,
            step=step,
            epoch=epoch,
            metrics=runner.loop.metrics if runner else {},
            problem=ending.problem,
        )

    def _reached(self) -> tuple[int, int]:
        """Return the step and epoch where a run stands that did not begin, or go on."""
        try:
            state = read_state(self._folder)
        except DiagnosticError:  # its record is told as damaged where it is read
            return 0, 0
        return state.step, state.epoch

    def _log(self, error: Exception) -> None:
        """Write a traceback to the run's log."""
        text = "".join(traceback.format_exception(error))
        try:
            with os.fdopen(open_append(self._folder.log_path), "a", encoding="utf-8") as log:
                log.write(text)
        except OSError:
            sys.stderr.write(text)
