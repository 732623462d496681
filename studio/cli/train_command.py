"""The command that trains, and shows how it goes."""

import contextlib
from argparse import Namespace
from collections.abc import Set as AbstractSet
from pathlib import Path

from engine import runtime
from engine.diagnostics import DiagnosticError
from engine.graph.code import runs_code
from engine.project import Project
from engine.query.model.request import FittedModel
from engine.runs.certificate import Certificate
from engine.runs.cross_validation import By, summarize
from engine.runs.folder import RunFolder, find_run
from engine.runs.machine.remote import Remote, parse_remote
from engine.runs.record.state import RunState, RunStatus
from engine.runs.record.store import RunStore
from engine.runs.room import full_disk
from engine.runtime import RunHandle, Standby
from engine.spec.choice import NO_CODE, Code
from engine.spec.data_path import with_absolute_paths
from engine.spec.fields import set_text
from engine.spec.group import rate_names
from engine.spec.length import LENGTHS, total_of
from engine.spec.phase import phase_names
from engine.spec.run import TOGETHER, RunSpec
from studio.cli.certify_command import (
    certificate_document,
    certify,
    require_certain,
    write_certificate,
)
from studio.cli.config import configured
from studio.cli.data_root import take_roots
from studio.cli.fold_output import fold_document, fold_name, write_folds, write_ways_on
from studio.cli.following import watch
from studio.cli.input_fit import fitted_models, fitted_specs
from studio.cli.interrupt import Interrupts
from studio.cli.live_command import repeat
from studio.cli.output import in_words, summary, write, write_document, write_error
from studio.cli.parser import INTERRUPTED, UsageError
from studio.cli.pause_notice import PauseNotice
from studio.cli.resume_notice import tell_finished, tell_kept, tell_of_mode
from studio.cli.split_change import without_old_column
from studio.cli.trusting import trust_machine, trust_project, trust_run
from studio.cli.wording import said

_STATES = {
    RunStatus.STARTING: "starting",
    RunStatus.RUNNING: "running",
    RunStatus.PAUSED: "paused",
    RunStatus.STALLED: "stalled",
    RunStatus.FINISHED: "finished",
    RunStatus.STOPPED: "stopped",
    RunStatus.FAILED: "failed",
    RunStatus.DIED: "died",
}
_FEWEST_FOLDS, _MOST_FOLDS = 2, 1_000
_INTERVAL = "scheduler_interval"


def train(options: Namespace) -> int:
    """Train a project, or go on with one of its runs; with ``--folds`` or ``--seeds`` several. With
    ``--certify`` the run is certified, too, or the one that ``--run`` names and nothing is trained.
    """
    take_roots(options)
    require_certain(options)
    project = Project.open(options.project)
    if options.run:
        run = find_run(project.path, options.run)
        found = certify(run, options)
        return _certified(run, found, options, {"run": run.id}) if found is not None else 1
    if options.replay and _is_repeated(options):
        raise UsageError(said("--replay repeats one run; omit --folds and --seeds"))
    if options.on and options.resume:
        raise UsageError(said("a run continues where it was trained; omit --on"))
    if options.config and (options.resume or options.replay):
        raise UsageError(
            said("a run that is resumed or repeated keeps its settings; omit --config")
        )
    if options.fit_inputs and (options.resume or options.replay):
        raise UsageError(
            said("a run that is resumed or repeated keeps its model; omit --fit-inputs")
        )
    if options.config:
        project.spec = configured(project.spec, Path(options.config), project.graph.code)
    changes = spec_changes(options, project.spec.mode)
    if _is_repeated(options):
        return _repeat(project, options, changes)
    standby = Standby()
    try:
        with Interrupts() as interrupts:
            begin = repeat if options.replay else _resume if options.resume else _start_one
            before = _last_event(project, options)
            handle = begin(project, options, changes, standby, interrupts)
            is_quiet = options.quiet or options.json
            notice = PauseNotice(handle.folder, options.project)
            state = watch(handle, interrupts, notice, is_quiet=is_quiet, after=before)
    finally:
        standby.close()
    if _is_stopped_early(state, interrupts):
        return _tell_stopped_early(handle)
    return _report(handle, state, options)


def changed_spec(spec: RunSpec, changes: list[tuple[str, str]], code: Code = NO_CODE) -> RunSpec:
    """Return a specification with values by dotted name; paths are those of the terminal. When a
    schedule is stepped is set last, since a scheduler that is chosen brings its own rhythm. Raises
    :class:`UsageError`.
    """
    before = spec
    for name, text in sorted(changes, key=lambda change: change[0].endswith(_INTERVAL)):
        try:
            spec = set_text(spec, name, text, code)
        except DiagnosticError as error:
            raise UsageError(f"{name}={text}: {summary(error.problems)}") from error
    spec = without_old_column(before, spec, [name for name, _ in changes])
    return with_absolute_paths(spec, Path.cwd(), code)


def spec_changes(options: Namespace, mode: str = "process") -> list[tuple[str, str]]:
    """Return what the options set of a specification whose mode is ``mode``, by dotted name.
    Raises :class:`UsageError`.
    """
    changes = set_changes(options)
    if options.nproc is not None and options.mode is None and mode not in TOGETHER:
        options.mode = "ddp"  # several processes are asked for
    for name in ("device", *LENGTHS, "seed", "mode", "nproc"):
        value = getattr(options, name)
        if value is not None:
            changes += [("length", name)] if name in LENGTHS else []
            changes.append((name, str(value)))
    return changes


def set_changes(options: Namespace) -> list[tuple[str, str]]:
    """Return what ``--set`` sets, by dotted name. Raises :class:`UsageError`."""
    changes: list[tuple[str, str]] = []
    for text in options.set:
        name, separator, value = text.partition("=")
        if not separator or not name:
            raise UsageError(
                said("--set {given}: expected KEY=VALUE, such as epochs=3", given=text)
            )
        changes.append((name, value))
    return changes


def fold_changes(options: Namespace) -> list[list[tuple[str, str]]]:
    """Return for each fold what it sets. Raises :class:`UsageError`."""
    if not _FEWEST_FOLDS <= options.folds <= _MOST_FOLDS:
        raise UsageError(
            said(
                "--folds {folds}: expected a number from {fewest} to {most}",
                folds=options.folds,
                fewest=_FEWEST_FOLDS,
                most=_MOST_FOLDS,
            )
        )
    if any(text.partition("=")[0].startswith("data.split.fold") for text in options.set):
        raise UsageError(said("--folds sets data.split.folds and data.split.fold itself"))
    return [
        [("data.split.folds", str(options.folds)), ("data.split.fold", str(fold))]
        for fold in range(options.folds)
    ]


def _is_repeated(options: Namespace) -> bool:
    return options.folds is not None or options.seeds is not None


def seed_changes(options: Namespace, first: int) -> list[list[tuple[str, str]]]:
    """Return for each seed what it sets, from the first on. Raises :class:`UsageError`."""
    if not _FEWEST_FOLDS <= options.seeds <= _MOST_FOLDS:
        raise UsageError(
            said(
                "--seeds {seeds}: expected a number from {fewest} to {most}",
                seeds=options.seeds,
                fewest=_FEWEST_FOLDS,
                most=_MOST_FOLDS,
            )
        )
    return [[("seed", str((first + number) % 2**32))] for number in range(options.seeds)]


def repeated(
    options: Namespace, spec: RunSpec, changes: list[tuple[str, str]], code: Code = NO_CODE
) -> tuple[By, list[tuple[int, list[tuple[str, str]]]]]:
    """Return what repeated runs differ in, and for each its number and what it sets besides the
    changes. Raises :class:`UsageError`.
    """
    if options.folds is not None:
        return "fold", list(enumerate(fold_changes(options)))
    each = seed_changes(options, changed_spec(spec, changes, code).seed)
    return "seed", [(int(its[0][1]), its) for its in each]


def _repeat(project: Project, options: Namespace, changes: list[tuple[str, str]]) -> int:
    """Train one run for each fold or seed, and say what they reached together. One that fails or
    dies leaves the others; one that is stopped is the last. How to go on is told.
    """
    if options.resume:
        raise UsageError(said("--folds and --seeds start new runs; omit --resume"))
    by, each = repeated(options, project.spec, changes, project.graph.code)
    specs = [
        changed_spec(project.spec, [*changes, *its_changes], project.graph.code)
        for _, its_changes in each
    ]
    results: list[tuple[RunFolder, RunState]] = []
    code = 0
    standby = Standby()
    name, is_quiet = options.name or "", options.quiet or options.json
    try:
        with Interrupts() as interrupts:
            specs, models = _models(project, options, specs, standby)
            for (number, _), spec, model in zip(each, specs, models, strict=True):
                options.name = fold_name(name, number, by)
                if not is_quiet:
                    of = said("{name} of {count}", name=fold_name("", number, by), count=len(each))
                    write_error(of)
                handle = _start(project, options, spec, model, standby, interrupts)
                notice = PauseNotice(handle.folder, options.project)
                state = watch(handle, interrupts, notice, is_quiet=is_quiet)
                results.append((handle.folder, state))
                if _is_stopped_early(state, interrupts):
                    code = _tell_stopped_early(handle)
                elif state.status is not RunStatus.FINISHED:
                    code = max(code, _ended(handle, state))
                if interrupts.count or state.status is RunStatus.STOPPED:
                    break
    finally:
        standby.close()
    validation = summarize(results, by)
    if options.json:
        write_document(fold_document(validation))
    elif validation.runs:  # what the runs are for, also with --quiet
        write_folds(validation)
    if not options.json:
        write_ways_on(options, changes, each, results)
    return code


def _start_one(
    project: Project,
    options: Namespace,
    changes: list[tuple[str, str]],
    standby: Standby,
    interrupts: Interrupts,
) -> RunHandle:
    spec = changed_spec(project.spec, changes, project.graph.code)
    (spec,), (model,) = _models(project, options, [spec], standby)
    return _start(project, options, spec, model, standby, interrupts)


def _models(
    project: Project, options: Namespace, specs: list[RunSpec], standby: Standby
) -> tuple[list[RunSpec], list[FittedModel]]:
    """Return specification and model of each run, fitted to the data where that is wanted. Raises
    as :func:`fitted_models` does.
    """
    if options.trust_machine:
        raise UsageError(said("--trust-machine requires --resume"))
    if specs[0].mode == "process" and not options.on:
        standby.prepare()  # the worker loads torch while this process does for checking
    trust_project(project, options)
    specs = fitted_specs(project.graph, project.spec.data, specs, options)
    return specs, fitted_models(project.graph, project.spec.data, specs, options)


def _start(  # noqa: PLR0917 - what a run is made of
    project: Project,
    options: Namespace,
    spec: RunSpec,
    model: FittedModel,
    standby: Standby,
    interrupts: Interrupts,
) -> RunHandle:
    is_trusted = trust_project(project, options)
    if not (options.quiet or options.json):
        for change in model.changes:
            write_error(in_words(change))
        for problem in model.problems:
            if problem.severity == "warning":
                write_error(in_words(problem))
    remote = _remote(options)
    interrupts.hold()
    return runtime.start_run(
        project.path,
        model.graph,
        spec,
        options.name,
        problems=model.problems,
        standby=standby,
        trusted=is_trusted,
        remote=remote,
    )


def _remote(options: Namespace) -> Remote | None:
    """Return the machine that is to train, after a look at it; None: this one.

    Raises :class:`DiagnosticError` when no run can train there.
    """
    if not options.on:
        if options.key or options.python or options.folder:
            raise UsageError(said("--key, --python and --folder require --on HOST"))
        return None
    named = {name: getattr(options, name) for name in ("key", "python", "folder")}
    base = Remote(**{name: value for name, value in named.items() if value})
    remote = parse_remote(options.on, base)
    runtime.look_there(remote)
    return remote


def _resume(
    project: Project,
    options: Namespace,
    changes: list[tuple[str, str]],
    standby: Standby,
    interrupts: Interrupts,
) -> RunHandle:
    """Go on with a run, where it trained; what it computes is settled but for its length."""
    fixed = [name for name, _ in changes if name not in ("length", *LENGTHS, "mode", "nproc")]
    if fixed or options.name:
        what = ", ".join(fixed) or "name"
        raise UsageError(
            said("a resumed run keeps its {what}; only its length can be changed", what=what)
        )
    spec = changed_spec(project.spec, changes)
    names = {name for name, _ in changes}
    run = find_run(project.path, options.resume)
    unit = run.document.spec.length
    _require_unit(run, names)
    if unit not in names and not options.quiet:
        tell_finished(run)
    trust_machine([run], options)
    is_trusted = trust_run(run, options)
    mode = spec.mode if "mode" in names else None
    nproc = spec.nproc if "nproc" in names else 0
    if is_trusted or not runs_code(run.document.graph):
        problems = runtime.mode_problems(run, mode or "", nproc)
        tell_of_mode(problems, is_quiet=options.quiet or options.json)
    interrupts.hold()
    handle = runtime.resume_run(
        project.path,
        options.resume,
        length=total_of(spec, unit) if unit in names else 0.0,
        mode=mode,
        nproc=nproc,
        standby=standby,
        trusted=is_trusted,
        project_spec=project.spec,
    )
    if not options.quiet:
        tell_kept(
            run, project, has_mode=bool(mode or nproc)
        )  # not before: a run that still trains is refused
    return handle


def _require_unit(run: RunFolder, names: AbstractSet[str]) -> None:
    """Raise :class:`UsageError` for a length in another unit than that which a run ends by."""
    unit = run.document.spec.length
    if others := names & {*LENGTHS} - {unit}:
        raise UsageError(
            said(
                "{run} ends by {unit}: give its length with --{unit}, not {other}",
                run=run.id,
                unit=unit,
                other=min(others),
            )
        )


def _last_event(project: Project, options: Namespace) -> int:
    """Return the number of the last event of a run that is to go on; 0 for a new one."""
    if not options.resume:
        return 0
    store = RunStore.find(find_run(project.path, options.resume).path)
    if store is None:
        return 0
    with store:
        return store.last_event()


def _certified(
    run: RunFolder, found: Certificate, options: Namespace, document: dict[str, object]
) -> int:
    """Report a certificate; return the exit code."""
    if options.json:
        write_document(document | {"certificate": certificate_document(found)})
    elif not options.quiet:
        write_certificate(run.id, found)
    return 0 if found.is_equal else 1


def _report(handle: RunHandle, state: RunState, options: Namespace) -> int:
    found: Certificate | None = None
    has_ended = state.status in (RunStatus.FINISHED, RunStatus.STOPPED)
    if options.certify is not None and has_ended:
        found = certify(handle.folder, options)
    if found is not None and options.json:
        return _certified(handle.folder, found, options, _document(handle, state))
    if options.json:
        write_document(_document(handle, state))
    elif not options.quiet:
        values = ", ".join(f"{name} {value:.4g}" for name, value in state.metrics.items())
        ended = f"{handle.folder.id} {said(_STATES[state.status])}"
        write(f"{ended}: {values}" if values else ended)
    if state.status is RunStatus.STOPPED and not (options.quiet or options.json):
        if state.problem is not None:
            write_error(in_words(state.problem))
        typed = f"main.py train {options.project} --resume {handle.folder.id}"
        write_error(said("to continue: {command}", command=typed))
    if found is not None:
        return _certified(handle.folder, found, options, {})
    return _ended(handle, state) or int(options.certify is not None)


def _is_stopped_early(state: RunState, interrupts: Interrupts) -> bool:
    """Return whether the user has stopped a run while its process was still starting, which knows
    no stop and had to be ended.
    """
    has_begun = state.step > 0 or state.status not in (RunStatus.STARTING, RunStatus.DIED)
    return interrupts.count > 0 and not has_begun


def _tell_stopped_early(handle: RunHandle) -> int:
    text = "{run} was stopped before its first step; nothing of it is kept"
    write_error(said(text, run=handle.folder.id))
    return INTERRUPTED


def _ended(handle: RunHandle, state: RunState) -> int:
    """Return the exit code for how a run ended; say why where that is no success."""
    if state.status in (RunStatus.FINISHED, RunStatus.STOPPED):
        return 0
    reason = in_words(state.problem) if state.problem else said("it ended unexpectedly")
    if state.status is RunStatus.STARTING:
        full = full_disk(handle.folder.path)
        reason = in_words(full) if full else said("it ended before its first step; start it again")
    ended = said(_STATES[state.status])
    write_error(f"{handle.folder.id} {ended}: {reason}")
    return 1


def _document(handle: RunHandle, state: RunState) -> dict[str, object]:
    history: dict[str, list[float]] = {}
    with contextlib.suppress(DiagnosticError), RunStore.open(handle.folder.path) as store:
        for name in store.series_names():
            history[name] = store.scalars(name).values.tolist()
    return {
        "run": handle.folder.id,
        "state": str(state.status),
        "epochs": state.epoch,
        "steps": state.step,
        "metrics": state.metrics,
        "history": history,
        "curve_names": rate_names(
            handle.folder.document.spec.groups,
            state.groups,
            phase_names(handle.folder.document.spec),
        ),
        "seconds": round(state.elapsed_s, 3),
    }
