"""What is told of a lost process of a run, and by another process where the first one is lost."""

import time

from engine.diagnostics import Diagnostic, Severity
from engine.events import RunEnded, Warned
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.process.agent import agent, end_agent
from engine.runs.process.run_lock import note_over, read_tag
from engine.runs.record.journal import RunJournal
from engine.train.ranks.rank_poll import Lost
from engine.train.ranks.world import World

# Of an end and of a restart: who was lost is not known, did not live, did not answer.
_LOST_CODES = (("R176", "R177"), ("R170", "R173"), ("R171", "R174"))
AGAIN_CODES = tuple(again for _, again in _LOST_CODES)
"""The words of a restart."""


def describe_loss(folder: RunFolder, lost: Lost, step: int, collective: str) -> Diagnostic:
    """Return who of the processes was lost in a step: an error that ends the run, or a warning
    where all are started again. What one raised by itself it would raise again, and own code that
    has them wait in different collectives would do so again.
    """
    params: dict[str, str | int | float] = {"step": step, "collective": collective}
    if lost.raised:
        rank, text = min(lost.raised.items())
        return Diagnostic(code="R172", params=params | {"rank": rank}, detail=text)
    params["ranks"] = ", ".join(str(rank) for rank in lost.ranks)
    params["seconds"] = folder.document.spec.processes.timeout_s
    if lost.apart:
        params["places"] = ", ".join(f"{rank}: {name}" for rank, name in lost.apart.items())
        return Diagnostic(code="R194", params=params)
    ended, again = _LOST_CODES[0 if not lost.ranks else 1 + lost.hung]
    starter = agent()
    if starter is None or not starter.restarts:
        return Diagnostic(code=ended, params=params)
    params |= {"round": starter.round + 1, "most": starter.most}
    return Diagnostic(code=again, severity=Severity.WARNING, params=params)


def is_wanted(folder: RunFolder, lost: Lost) -> bool:
    """Return whether a run that lost a process ends as it was to: a stop was told, and nobody is
    started again to carry it out.
    """
    tag = read_tag(folder.path)
    return not lost.raised and tag is not None and folder.is_to_stop(tag.taken)


def tell_again(journal: RunJournal, folder: RunFolder, problem: Diagnostic, step: int) -> None:
    """Tell of a restart: of several machines also that those gone are waited for."""
    words = [problem]
    if folder.document.spec.processes.nnodes > 1:
        words.append(Diagnostic(code="R193", severity=Severity.HINT))
    for word in words:
        journal.append(Warned(time=time.time(), problem=word, step=step))


def is_over(world: World, folder: RunFolder, error: Exception, step: int) -> bool:
    """Return whether the run is over for a process that is not the first, after an error in a step.
    Where the first one is lost, tell it in its place: it is dead or ends with this.
    """
    verdict = world.verdict(error)
    if world.is_cut_off() and (starter := agent()) is not None:
        end_agent(starter)
    if verdict is not None:
        return verdict
    lost = world.find_lost(error)
    problem = describe_loss(folder, lost, step, world.doing)
    is_stopped = is_wanted(folder, lost)
    again = problem.severity is Severity.WARNING and not is_stopped
    world.decide(again=again)
    journal = RunJournal(folder.path)
    try:
        if again:
            tell_again(journal, folder, problem, max(0, step - 1))
        else:
            _tell_end(journal, folder, None if is_stopped else problem)
    finally:
        journal.close()
    return not again


def _tell_end(journal: RunJournal, folder: RunFolder, problem: Diagnostic | None) -> None:
    """Tell the end: a stop where nothing was wrong."""
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
