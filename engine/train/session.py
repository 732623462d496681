"""One session of a worker at a run: from the folder to the last event.

Whatever happens, a session that began ends with exactly one ``RunEnded``, and everything
process-wide that it changed is put back.
"""

import os
import sys
import time
import traceback
from typing import Literal

import msgspec

from engine.custom.module import own_place
from engine.custom.trust import require_trust, set_trust
from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.events import RunEnded, RunStarted, Warned
from engine.files import open_append
from engine.graph.code import runs_code
from engine.inspect.origin import error_origin
from engine.inspect.places import Places
from engine.model.module import node_of_traceback
from engine.model.source import Generated, generate_whole
from engine.runs.claim import Interrupt, RunClaim
from engine.runs.process.agent import agent
from engine.runs.record.log import LogTail
from engine.runs.record.store import RunStore
from engine.train.anomaly import find_cause
from engine.train.devices import run_settings
from engine.train.explanation import hint, is_out_of_memory
from engine.train.failure import explain_backward
from engine.train.follower import broadcast_start
from engine.train.loop import NotFiniteError, NotFiniteWeightError
from engine.train.preparation import prepare
from engine.train.ranks.process_group import join
from engine.train.ranks.rank_failure import AGAIN_CODES, describe_loss, is_wanted, tell_again
from engine.train.ranks.world import ALONE, is_lost, processes
from engine.train.runner import Runner


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """How a session ended; ``again``: its processes are started anew and go on. ``is_torn``: one
    was lost, and the others wait for a word.
    """

    reason: Literal["finished", "stopped", "failed", "again"]
    problem: Diagnostic | None = None
    is_torn: bool = False


def train(claim: RunClaim, interrupt: Interrupt) -> Ending:
    """Train a claimed run on this thread, from the start or a checkpoint, to its end."""
    return _Session(claim, interrupt).run()


class _Session:
    def __init__(self, claim: RunClaim, interrupt: Interrupt) -> None:
        self._claim = claim
        self._folder = claim.folder
        self._interrupt = interrupt
        self._generated = Generated()
        self._runner: Runner | None = None
        self._world = ALONE
        self._printed = LogTail(self._folder.log_path)
        self._printed.read()  # of earlier sessions

    def run(self) -> Ending:
        """Do all of it and tell the end."""
        ending = Ending(reason="failed", problem=Diagnostic(code="R135"))
        try:
            ending = self._train()
        finally:
            if ending.reason == "again":
                self._tell_again(ending)
            else:
                self._claim.end(self._last_event(ending))
            if ending.is_torn or ending.reason == "failed":
                self._world.decide(again=ending.reason == "again")
        return ending

    def _train(self) -> Ending:
        document = self._folder.document
        try:
            with run_settings(document.spec, processes()):
                set_trust(document.graph.code, trusted=self._claim.launch.trusted)
                if runs_code(document.graph):
                    require_trust(document.graph.code)
                self._generated = generate_whole(document.graph)
                self._world = join(
                    self._folder.path,
                    document.spec.processes.timeout_s,
                    sharded=self._claim.launch.sharded,
                )
                self._tell_first_lost()
                self._runner = prepare(self._claim, self._generated, self._interrupt, self._world)
                broadcast_start(self._runner.loop)
                reason = self._runner.run().value
                self._world.close()
                return Ending(reason=reason, problem=self._interrupt.problem)
        except DiagnosticError as error:
            self._log(error)
            return Ending(reason="failed", problem=error.problems[0])
        except NotFiniteError as error:
            return Ending(reason="failed", problem=self._cause(error))
        except Exception as error:  # noqa: BLE001 - a layer, a loss or data may raise anything: told, kept, ended
            self._log(error)
            self._world.answer(error)  # before a checkpoint, which takes its time
            self._keep_reached()
            if is_lost(error):
                return self._without_others(error)
            return Ending(reason="failed", problem=self._problem_of(error))

    def _without_others(self, error: Exception) -> Ending:
        """Say who of the processes was lost, and whether all are started again: what one raised by
        itself it would raise again. A run that was to stop has stopped.
        """
        lost = self._world.find_lost(error)
        if is_wanted(self._folder, lost):
            return Ending(reason="stopped", is_torn=True)
        step = self._runner.loop.step + 1 if self._runner else 0
        problem = describe_loss(self._folder, lost, step, self._world.doing)
        self._tell_hint(problem.detail or "\n".join(self._printed.read()), step)
        is_again = problem.severity is Severity.WARNING
        return Ending(reason="again" if is_again else "failed", problem=problem, is_torn=True)

    def _tell_first_lost(self) -> None:
        """Say that it was the first process that was lost, which could not tell it itself."""
        starter = agent()
        if starter is None or not self._claim.restart:
            return
        with RunStore.open(self._folder.path) as store:
            events = [stored.event for stored in store.events()]
        for event in reversed(events):
            if isinstance(event, Warned) and event.problem.code in AGAIN_CODES:
                return
            if isinstance(event, RunStarted):
                break
        params: dict[str, str | int | float] = {"round": starter.round, "most": starter.most}
        problem = Diagnostic(code="R179", severity=Severity.WARNING, params=params)
        self._claim.journal.append(Warned(time=time.time(), problem=problem))

    def _tell_again(self, ending: Ending) -> None:
        assert ending.problem is not None
        step = self._runner.loop.step if self._runner else 0
        tell_again(self._claim.journal, self._folder, ending.problem, step)

    def _tell_hint(self, text: str, step: int) -> None:
        """Say what helps after an error in a step, where many meet that message."""
        found = hint(text, step)
        if found is not None:
            self._claim.journal.append(Warned(time=time.time(), problem=found, step=step - 1))

    def _cause(self, error: NotFiniteError) -> Diagnostic:
        """Return where a loss that is not finite comes from, as far as that can be told."""
        assert self._runner is not None
        step = error.step or self._runner.loop.step + 1
        if isinstance(error, NotFiniteWeightError):
            params: dict[str, str | int | float] = {"step": step, "weight": error.weight or "…"}
            return self._at_node(
                Diagnostic(code="R215", node=error.weight.rpartition(".")[0], params=params)
            )
        if error.batch is None or self._world.is_sharded:  # the others would have to look too
            return Diagnostic(code="R136", params={"step": step, "loss": str(error.loss)})
        training = self._runner.loop.training
        return self._at_node(find_cause(training, error.batch, step, error.loss, self._places))

    def _at_node(self, found: Diagnostic) -> Diagnostic:
        """Return a finding about a layer at its node, where the layer is one."""
        nodes = self._folder.document.graph.nodes.values()
        node = next((node.id for node in nodes if node.name == found.node), None)
        return msgspec.structs.replace(found, node=node)

    def _keep_reached(self) -> None:
        if self._runner is None or self._world.is_sharded:  # the others have their parts
            return
        try:
            self._runner.save_after_error()
        except (NotFiniteError, DiagnosticError, RuntimeError) as error:
            self._log(error)

    def _problem_of(self, error: Exception) -> Diagnostic:
        step = self._runner.loop.step + 1 if self._runner else 0
        refused = self._refused(error, step)
        if refused is not None:
            return refused
        params: dict[str, str | int | float] = {"step": step, "kind": type(error).__name__}
        node = self._place_of(error) or node_of_traceback(error, self._generated.lines)
        detail = str(error).strip() or type(error).__name__
        place = own_place(error, self._generated.code_lines)
        if place is not None:
            params |= {"file": place[0], "line": place[1]}
            self._tell_hint(detail, step)
            return Diagnostic(code="U031", node=node, params=params, detail=detail)
        code = "R138" if isinstance(error, MemoryError) or is_out_of_memory(detail) else "R137"
        if isinstance(error, IndexError) and "out of range in self" in detail:
            code = "R146"
        if code == "R137":
            self._tell_hint(detail, step)
        return Diagnostic(code=code, node=node, params=params, detail=detail)

    @property
    def _places(self) -> Places:
        return Places(
            self._folder.document.graph, self._generated.lines, self._generated.code_lines
        )

    def _place_of(self, error: Exception) -> str:
        """Return the path of the node, inside of blocks too, that an error was raised in."""
        if self._runner is None:
            return ""
        origin = error_origin(error, self._runner.loop.training.model)
        return "" if origin is None else self._places.place(origin)

    def _refused(self, error: Exception, step: int) -> Diagnostic | None:
        """Return what was wrong with the graph that a backward pass failed in; it is kept."""
        if self._runner is None or self._world.is_sharded:
            return None
        training, artefacts = self._runner.loop.training, self._folder.artefacts
        found = explain_backward(training, error, self._places, artefacts, step)
        if found is None:
            return None
        problem, told = found
        self._claim.journal.append(told)
        return problem

    def _last_event(self, ending: Ending) -> RunEnded:
        assert ending.reason != "again"
        runner = self._runner
        return RunEnded(
            time=time.time(),
            elapsed_s=runner.elapsed_s() if runner else 0.0,
            reason=ending.reason,
            step=runner.loop.step if runner else 0,
            epoch=runner.loop.epoch if runner else 0,
            metrics=runner.loop.metrics if runner else {},
            problem=ending.problem,
        )

    def _log(self, error: Exception) -> None:
        """Write a traceback to the run's log."""
        text = "".join(traceback.format_exception(error))
        try:
            with os.fdopen(open_append(self._folder.log_path), "a", encoding="utf-8") as log:
                log.write(text)
        except OSError:
            sys.stderr.write(text)
