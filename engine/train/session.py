"""One session of a worker at a run: from the folder to the last event.

Whatever happens, a session that began ends with exactly one ``RunEnded``, and everything
process-wide that it changed is put back.
"""

import sys
import time
import traceback
from typing import Literal

import msgspec

from engine.build.codegen import Generated, generate_whole
from engine.build.module import node_of_traceback
from engine.build.own_module import own_place
from engine.build.trust import require_trust, set_trust
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.events import RunEnded
from engine.graph.code import runs_code
from engine.inspect.places import Places
from engine.runs.claim import Interrupt, RunClaim
from engine.train.anomaly import find_cause
from engine.train.devices import run_settings
from engine.train.failure import explain_backward
from engine.train.follower import begin_together
from engine.train.loop import NotFiniteError
from engine.train.preparation import prepare
from engine.train.runner import Runner
from engine.train.world import is_lost, join, processes


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """How a session ended."""

    reason: Literal["finished", "stopped", "failed"]
    problem: Diagnostic | None = None


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

    def run(self) -> Ending:
        """Do all of it and tell the end."""
        ending = Ending(reason="failed", problem=Diagnostic(code="R135"))
        try:
            ending = self._train()
        finally:
            self._claim.end(self._last_event(ending))
        return ending

    def _train(self) -> Ending:
        document = self._folder.document
        try:
            with run_settings(document.spec, processes()):
                set_trust(document.graph.code, trusted=self._claim.launch.trusted)
                if runs_code(document.graph):
                    require_trust(document.graph.code)
                self._generated = generate_whole(document.graph)
                world = join(self._folder.path)
                self._runner = prepare(self._claim, self._generated, self._interrupt, world)
                begin_together(self._runner)
                reason = self._runner.run().value
                world.close()
                return Ending(reason=reason)
        except DiagnosticError as error:
            self._log(error)
            return Ending(reason="failed", problem=error.problems[0])
        except NotFiniteError as error:
            return Ending(reason="failed", problem=self._cause(error))
        except Exception as error:  # noqa: BLE001 - a layer, a loss or data may raise anything: told, kept, ended
            self._log(error)
            self._keep_reached()
            return Ending(reason="failed", problem=self._problem_of(error))

    def _cause(self, error: NotFiniteError) -> Diagnostic:
        """Return where a loss that is not finite comes from, as far as that can be told."""
        assert self._runner is not None
        step = error.step or self._runner.position.step + 1
        if error.batch is None:
            return Diagnostic(code="R136", params={"step": step, "loss": str(error.loss)})
        found = find_cause(self._runner.training, error.batch, step, error.loss)
        node = next(
            (
                node.id
                for node in self._folder.document.graph.nodes.values()
                if node.name == found.node
            ),
            None,
        )
        return msgspec.structs.replace(found, node=node)

    def _keep_reached(self) -> None:
        if self._runner is None:
            return
        try:
            self._runner.save_after_error()
        except (NotFiniteError, DiagnosticError, RuntimeError) as error:
            self._log(error)

    def _problem_of(self, error: Exception) -> Diagnostic:
        step = self._runner.position.step + 1 if self._runner else 0
        refused = self._refused(error, step)
        if refused is not None:
            return refused
        params: dict[str, str | int | float] = {"step": step, "kind": type(error).__name__}
        node = node_of_traceback(error, self._generated.lines)
        detail = str(error).strip() or type(error).__name__
        place = own_place(error, self._generated.code_lines)
        if place is not None:
            params |= {"file": place[0], "line": place[1]}
            detail = str(error).strip() or type(error).__name__
            return Diagnostic(code="U031", node=node, params=params, detail=detail)
        if is_lost(error):
            return Diagnostic(code="R170", params=params, detail=detail)
        code = "R138" if isinstance(error, MemoryError) or _is_out_of_memory(error) else "R137"
        if isinstance(error, IndexError) and "out of range in self" in detail:
            code = "R146"
        return Diagnostic(code=code, node=node, params=params, detail=detail)

    def _refused(self, error: Exception, step: int) -> Diagnostic | None:
        """Return what was wrong with the graph that a backward pass failed in; it is kept."""
        if self._runner is None:
            return None
        places = Places(self._folder.document.graph, self._generated.lines)
        training, artefacts = self._runner.training, self._folder.artefacts
        found = explain_backward(training, error, places, artefacts, step)
        if found is None:
            return None
        problem, told = found
        self._claim.journal.append(told)
        return problem

    def _last_event(self, ending: Ending) -> RunEnded:
        runner = self._runner
        return RunEnded(
            time=time.time(),
            elapsed_s=runner.elapsed_s() if runner else 0.0,
            reason=ending.reason,
            step=runner.position.step if runner else 0,
            epoch=runner.position.epoch if runner else 0,
            metrics=runner.metrics if runner else {},
            problem=ending.problem,
        )

    def _log(self, error: Exception) -> None:
        """Write a traceback to the run's log."""
        text = "".join(traceback.format_exception(error))
        try:
            with self._folder.log_path.open("a", encoding="utf-8") as log:
                log.write(text)
        except OSError:
            sys.stderr.write(text)


def _is_out_of_memory(error: Exception) -> bool:
    text = str(error)
    return "out of memory" in text or "DefaultCPUAllocator: can't allocate" in text
