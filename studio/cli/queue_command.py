"""The command for runs that wait for their turn."""

import shlex
import time
from argparse import Namespace

from engine import runtime
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.project import Project
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.queue import QueueEntry, RunQueue, folder_of
from engine.runs.record.state import RunStatus
from studio.cli.fold_output import fold_name
from studio.cli.input_fit import fitted_models, fitted_specs
from studio.cli.output import in_words, write, write_document, write_error, write_table
from studio.cli.parser import UsageError
from studio.cli.train_command import changed_spec, repeated, spec_changes
from studio.cli.trusting import trust_project
from studio.cli.wording import said
from studio.process.settings import settings_folder

_POLL_S = 0.5


def user_queue() -> RunQueue:
    """Return the queue of this user."""
    return RunQueue(settings_folder() / "queue")


def queue(options: Namespace) -> int:
    """Show the queue or change it."""
    waiting = user_queue()
    match options.action:
        case "list":
            return _list(waiting, options)
        case "add":
            _add(waiting, options)
        case "remove":
            _require(options, 1)
            _require_known(waiting, options.arguments)
            _remove(waiting, options.arguments)
        case "retry":
            _require(options, 1)
            _require_known(waiting, options.arguments)
            waiting.retry(options.arguments)
        case "up" | "down":
            _require(options, 1)
            waiting.move(options.arguments[0], -1 if options.action == "up" else 1)
        case "pause" | "resume":
            waiting.change(is_paused=options.action == "pause")
        case "parallel":
            _require(options, 1)
            waiting.change(parallel=_count(options.arguments[0]))
        case _:
            return _wait(waiting)
    runtime.work_off(waiting)
    return 0


def _add(waiting: RunQueue, options: Namespace) -> None:
    _require(options, 1)
    project = Project.open(options.arguments[0])
    spec = changed_spec(project.spec, spec_changes(options), project.graph.code)
    name, specs = options.name or "", {options.name or "": spec}
    if options.folds is not None or options.seeds is not None:
        by, each = repeated(options, spec, [])
        specs = {fold_name(name, number, by): changed_spec(spec, its) for number, its in each}
    is_trusted = trust_project(project, options)
    wanted = fitted_specs(project.graph, project.spec.data, list(specs.values()), options)
    models = fitted_models(project.graph, project.spec.data, wanted, options)
    for model in models:
        if model.errors:
            raise DiagnosticError(*model.errors)
    for its_name, its_spec, model in zip(specs, wanted, models, strict=True):
        entry = waiting.add(project.path, model.graph, its_spec, its_name, trusted=is_trusted)
        write(entry.id)


def _remove(waiting: RunQueue, ids: list[str]) -> None:
    training = [entry for entry in waiting.entries() if entry.id in ids and entry.is_training]
    waiting.remove(ids)
    for entry in training:
        text = "{run} is being stopped; everything up to now is kept. Continue it with: {command}"
        command = f"main.py train {shlex.quote(entry.project)} --resume {entry.run}"
        write_error(said(text, run=entry.run, command=command))


def _list(waiting: RunQueue, options: Namespace) -> int:
    problems: list[Diagnostic] = []
    entries = waiting.entries(problems)
    settings = waiting.settings()
    if options.json:
        document = {"paused": settings.is_paused, "parallel": settings.parallel}
        write_document({**document, "entries": [_document(entry) for entry in entries]})
    elif entries:
        head = ("entry", "state", "run", "name", "project")
        write_table([tuple(map(said, head)), *map(_cells, entries)])
    failed = [problem for entry in entries if (problem := _problem(entry)) is not None]
    for problem in (*problems, *failed):
        write_error(in_words(problem))
    if failed and not options.json:
        text = "“queue retry ENTRY” starts what failed again, “queue remove ENTRY” takes it out"
        write_error(said(text))
    if settings.is_paused and entries and not options.json:
        write_error(said("the queue is paused; use “queue resume” to continue"))
    return 0


def _cells(entry: QueueEntry) -> tuple[str, ...]:
    return (entry.id, said(_state(entry)), entry.run, entry.name, entry.project)


def _state(entry: QueueEntry) -> str:
    status = _later_status(entry)
    if status is not None:
        return str(status) if status.is_over() else "training"
    return "failed" if entry.problem else "training" if entry.is_training else "waiting"


def _problem(entry: QueueEntry) -> Diagnostic | None:
    """Return why an entry failed, unless its run was resumed by hand since."""
    return entry.problem if _later_status(entry) is None else None


def _later_status(entry: QueueEntry) -> RunStatus | None:
    """Return where the run of an entry stands that had failed and was resumed by hand since; None
    for any other.
    """
    if entry.problem is None or not entry.run:
        return None
    try:
        status = read_state(RunFolder.open(folder_of(entry))).status
    except DiagnosticError:
        return None  # it is gone: what went wrong is still to be told
    return None if status in (RunStatus.FAILED, RunStatus.DIED) else status


def _document(entry: QueueEntry) -> dict[str, object]:
    return {
        "entry": entry.id,
        "state": _state(entry),
        "run": entry.run,
        "name": entry.name,
        "project": entry.project,
        "problem": None if (problem := _problem(entry)) is None else in_words(problem),
    }


def _wait(waiting: RunQueue) -> int:
    """Wait until nothing waits or trains any more, and tell of what failed; a paused queue is not
    waited for.
    """
    runtime.work_off(waiting)
    while any(entry.problem is None for entry in waiting.entries()):
        if waiting.settings().is_paused:
            raise UsageError(said("the queue is paused; use “queue resume” to continue"))
        time.sleep(_POLL_S)
    found = [(entry, _problem(entry)) for entry in waiting.entries()]
    failed = [(entry, problem) for entry, problem in found if problem is not None]
    for entry, problem in failed:
        name = " ".join(filter(None, (entry.id, entry.run, entry.name)))
        write_error(f"{name}: {in_words(problem)}")
    if failed:
        text = "“queue retry ENTRY” starts what failed again, “queue remove ENTRY” takes it out"
        write_error(said(text))
    return 1 if failed else 0


def _require_known(waiting: RunQueue, ids: list[str]) -> None:
    known = {entry.id for entry in waiting.entries()}
    for entry_id in ids:
        if entry_id not in known:
            raise DiagnosticError(Diagnostic(code="R322", params={"entry": entry_id}))


def _require(options: Namespace, count: int) -> None:
    if len(options.arguments) < count:
        raise UsageError(
            said("queue {action}: missing argument (see queue --help)", action=options.action)
        )


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= 64):
        raise UsageError(
            said("queue parallel {given}: expected a number from 0 (by GPUs) to 64", given=text)
        )
    return int(text)
