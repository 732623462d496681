"""Report of lost ranks in the record of a run, written by another rank where rank 0 is lost."""

import time

from engine.diagnostics import Diagnostic, Severity
from engine.events import RunEnded, Warned
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.process.agent import agent, end_agent
from engine.runs.process.run_lock import note_over, read_tag
from engine.runs.record.journal import RunJournal
from engine.train.ranks.rank_poll import LostRanks
from engine.train.ranks.world import World

# Codes of an end and of a restart: it is unknown which rank was lost; it is gone; it hangs.
_LOST_CODES = (("R176", "R177"), ("R170", "R173"), ("R171", "R174"))
RESTART_CODES = tuple(restart for _, restart in _LOST_CODES)
"""The codes of warnings that tell of a restart."""


def describe_lost(folder: RunFolder, lost: LostRanks, step: int, collective: str) -> Diagnostic:
    """Return which ranks were lost in a step: an error that ends the run, or a warning where all
    ranks are started again. That would not help where a rank raised an error by itself, or custom
    code has ranks wait in different collectives: both would happen again.
    """
    params: dict[str, str | int | float] = {"step": step, "collective": collective}
    if lost.raised:
        rank, text = min(lost.raised.items())
        return Diagnostic(code="R172", params=params | {"rank": rank}, detail=text)
    params["ranks"] = ", ".join(str(rank) for rank in lost.ranks)
    params["seconds"] = folder.document.spec.processes.timeout_s
    if lost.diverged:
        params["places"] = ", ".join(f"{rank}: {name}" for rank, name in lost.diverged.items())
        return Diagnostic(code="R194", params=params)
    end_code, restart_code = _LOST_CODES[0 if not lost.ranks else 1 + lost.hung]
    starter = agent()
    if starter is None or not starter.restarts:
        return Diagnostic(code=end_code, params=params)
    params |= {"round": starter.round + 1, "most": starter.most}
    return Diagnostic(code=restart_code, severity=Severity.WARNING, params=params)


def is_intended_stop(folder: RunFolder, lost: LostRanks) -> bool:
    """Return whether a run that lost a rank ends as intended: it was told to stop, and no rank has
    to be started again for that.
    """
    tag = read_tag(folder.path)
    return not lost.raised and tag is not None and folder.is_to_stop(tag.taken)


def record_restart(journal: RunJournal, folder: RunFolder, problem: Diagnostic, step: int) -> None:
    """Record a restart; with several machines also that the run waits for those that are gone."""
    problems = [problem]
    if folder.document.spec.processes.nnodes > 1:
        problems.append(Diagnostic(code="R193", severity=Severity.HINT))
    for each in problems:
        journal.append(Warned(time=time.time(), problem=each, step=step))


def is_over(world: World, folder: RunFolder, error: Exception, step: int) -> bool:
    """Return whether the run is over for a rank other than 0, after an error in a step. Where rank
    0 is lost, write the record in its place: it is dead, or is killed here.
    """
    verdict = world.verdict(error)
    if world.is_cut_off() and (starter := agent()) is not None:
        end_agent(starter)
    if verdict is not None:
        return verdict
    lost = world.find_lost(error)
    problem = describe_lost(folder, lost, step, world.collective)
    is_stopped = is_intended_stop(folder, lost)
    restarts = problem.severity is Severity.WARNING and not is_stopped
    world.decide(again=restarts)
    journal = RunJournal(folder.path)
    try:
        if restarts:
            record_restart(journal, folder, problem, max(0, step - 1))
        else:
            _record_end(journal, folder, None if is_stopped else problem)
    finally:
        journal.close()
    return not restarts


def _record_end(journal: RunJournal, folder: RunFolder, problem: Diagnostic | None) -> None:
    """Record the end: a stop where there is no problem."""
    state, tag = read_state(folder), read_tag(folder.path)
    end = RunEnded(
        time=time.time(),
        elapsed_s=state.elapsed_s,
        reason="stopped" if problem is None else "failed",
        step=state.step,
        epoch=state.epoch,
        metrics=state.metrics,
        problem=problem,
    )
    journal.end(end, tag.after_event if tag is not None else 0)
    note_over(folder.path)
