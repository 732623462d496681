"""The command that searches for better settings, and shows how it goes."""

import time
from argparse import Namespace
from collections.abc import Iterator
from datetime import datetime

import msgspec

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.events import Stop
from engine.project import Project
from engine.runs.folder import RunFolder, find_run
from engine.runs.search import (
    SearchFolder,
    SearchState,
    SearchStatus,
    TrialRecord,
    TrialStatus,
    find_search,
    searches_of,
)
from engine.runtime import SearchHandle, resume_search, start_search
from engine.spec.search import SearchSpec, parse_dimension
from studio.cli.data_root import take_roots
from studio.cli.input_fit import fitted_graph, fitted_specs, way_out
from studio.cli.interrupt import Interrupts
from studio.cli.output import (
    in_words,
    number,
    summary,
    write,
    write_document,
    write_error,
    write_table,
)
from studio.cli.parser import UsageError
from studio.cli.train_command import changed_spec, spec_changes
from studio.cli.trusting import trust_machine, trust_project
from studio.cli.wording import said

_POLL_S = 0.2


def search(options: Namespace) -> int:
    """Begin a search, go on with one, or list those that there are."""
    take_roots(options)
    project = Project.open(options.project)
    if options.list:
        return _list(project, options)
    with Interrupts() as interrupts:
        begin = _resume if options.resume else _start
        handle = begin(project, options)
        interrupts.hold()
        state = _watch(handle, interrupts, is_quiet=options.quiet or options.json)
    return _report(handle.folder, state, options)


def _start(project: Project, options: Namespace) -> SearchHandle:
    changes = spec_changes(options)
    spec = changed_spec(project.spec, changes, project.graph.code)
    usual = spec.checkpoint
    monitor = options.metric or usual.monitor
    try:
        space = tuple(parse_dimension(text) for text in options.vary)
        wanted = SearchSpec(
            space=space,
            method=options.method,
            trials=options.trials or SearchSpec().trials,
            pruner=options.pruner,
            monitor=monitor,
            mode=options.direction or (usual.mode if monitor == usual.monitor else "min"),
            parallel=max(1, options.parallel),
            seed=spec.seed,
        )
        is_trusted = trust_project(project, options)
        (spec,) = fitted_specs(project.graph, project.spec.data, [spec], options)
        graph = fitted_graph(project.graph, project.spec.data, spec, options)
        return start_search(
            project.path, graph, spec, wanted, options.name or "", trusted=is_trusted
        )
    except DiagnosticError as error:
        if error.problems[0].field or error.problems[0].code in ("R300", "R301"):
            told = summary(error.problems) + way_out(error.problems, options)
            raise UsageError(told) from error
        raise


def _resume(project: Project, options: Namespace) -> SearchHandle:
    """Go on with a search; what it tries is settled but for the number of trials."""
    if options.vary or spec_changes(options) or options.name or options.fit_inputs:
        raise UsageError(
            said("a continued search keeps its settings; only --trials can be changed")
        )
    folder = find_search(project.path, options.resume)
    trust_machine(_unfinished(folder), options)
    is_trusted = trust_project(project, options)
    return resume_search(folder, trials=options.trials or 0, trusted=is_trusted)


def _unfinished(folder: SearchFolder) -> Iterator[RunFolder]:
    """Yield the runs that the search goes on with."""
    for trial in folder.reported_state().trials:
        if trial.status is TrialStatus.RUNNING and trial.run:
            yield find_run(folder.project, trial.run)


def _watch(handle: SearchHandle, interrupts: Interrupts, *, is_quiet: bool) -> SearchState:
    """Follow the search to its end; an interrupt stops it and keeps everything, a second one
    leaves it to itself.
    """
    told: set[int] = set()
    is_told = False
    while True:
        is_alive = handle.is_alive()  # asked before reading, so that the end is seen
        state = handle.folder.state()
        for trial in state.trials:
            if trial.status is not TrialStatus.RUNNING and trial.number not in told:
                told.add(trial.number)
                if not is_quiet:
                    write_error(_line(trial, state.total))
        if not is_alive:
            return state
        if interrupts.count > 1:
            raise KeyboardInterrupt
        if interrupts.count and not is_told:
            is_told = True
            write_error(said("stopping; everything is kept"))
            handle.folder.send(Stop())
        time.sleep(_POLL_S)


def _line(trial: TrialRecord, total: int) -> str:
    settings = ", ".join(f"{name}={_shown(value)}" for name, value in trial.settings.items())
    value = "" if trial.value is None else f" {number(trial.value)}"
    reason = f": {in_words(trial.problem)}" if trial.problem else ""
    told = said(
        "trial {number} {state}", number=f"{trial.number + 1}/{total}", state=said(trial.status)
    )
    return f"{told}{value} ({settings}){reason}"


def _shown(value: float | str) -> str:
    return value if isinstance(value, str) else number(value)


def _report(folder: SearchFolder, state: SearchState, options: Namespace) -> int:
    best = state.best(folder.document.search.mode)
    if options.json:
        write_document(_document(folder, state))
    elif not options.quiet:
        end = ""
        if best is not None:
            end = said(": best {trial} in {run}", trial=_line(best, state.total), run=best.run)
        write(f"{folder.id} {said(state.status)}{end}")
    if state.status is SearchStatus.STOPPED and not (options.quiet or options.json):
        typed = f"main.py search {options.project} --resume {folder.id}"
        write_error(said("to continue: {command}", command=typed))
    if state.status in (SearchStatus.FINISHED, SearchStatus.STOPPED):
        return 0
    reason = in_words(state.problem) if state.problem else said("it ended unexpectedly")
    write_error(f"{folder.id} {said(state.status)}: {reason}")
    return 1


def _document(folder: SearchFolder, state: SearchState) -> dict[str, object]:
    best = state.best(folder.document.search.mode)
    created = datetime.fromtimestamp(folder.document.created).astimezone().isoformat()
    return {
        "search": folder.id,
        "name": folder.document.name,
        "state": str(state.status),
        "created": created,
        "total": state.total,
        "best": None if best is None else best.number,
        "importance": state.importance,
        "trials": [
            {
                **{name: getattr(trial, name) for name in ("number", "settings", "value", "run")},
                "state": str(trial.status),
                "epochs": trial.epoch,
                "problem": None if trial.problem is None else msgspec.to_builtins(trial.problem),
            }
            for trial in state.trials
        ],
    }


def _list(project: Project, options: Namespace) -> int:
    problems: list[Diagnostic] = []
    found = [(folder, folder.state()) for folder in searches_of(project.path, problems)]
    if options.json:
        write_document({"searches": [_document(folder, state) for folder, state in found]})
    elif found:
        head = ("search", "name", "state", "trials", "best")
        write_table([tuple(map(said, head)), *map(_cells, found)])
    for problem in problems:
        write_error(in_words(problem))
    return 0


def _cells(pair: tuple[SearchFolder, SearchState]) -> tuple[str, ...]:
    folder, state = pair
    ended = sum(trial.status is not TrialStatus.RUNNING for trial in state.trials)
    best = state.best(folder.document.search.mode)
    shown = "" if best is None or best.value is None else f"{number(best.value)} ({best.run})"
    return (folder.id, folder.document.name, said(state.status), f"{ended}/{state.total}", shown)
