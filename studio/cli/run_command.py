"""Commands ``runs`` and ``events``."""

import time
from argparse import Namespace
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.events import encode_event
from engine.project import Project
from engine.query.data.request import CompareData
from engine.runs.certificate import read_certificate
from engine.runs.cross_validation import cross_validations, repeated_seeds
from engine.runs.folder import RunFolder, find_run, runs_of
from engine.runs.follow import RunFollower, read_state
from engine.spec.data_comparison import DataComparison, DataDifference, SampleDifference
from studio.cli.asking import ask
from studio.cli.certify_command import certificate_document
from studio.cli.fold_output import fold_document, write_all
from studio.cli.output import (
    in_words,
    number,
    write,
    write_document,
    write_error,
    write_json,
    write_table,
)
from studio.cli.parser import UsageError
from studio.cli.wording import said
from studio.process.settings import SettingsStore

_POLL_S = 0.1


def runs(options: Namespace) -> int:
    """List the runs, oldest first; with ``--all`` project by project."""
    if bool(options.project) == options.all:
        raise UsageError(said("specify either a PROJECT or --all"))
    problems: list[Diagnostic] = []
    if options.folds or options.seeds:
        return _repeated(options, problems)
    if options.data:
        return _data(options, problems)
    rows: list[dict[str, object]] = []
    for project in _recent() if options.all else [project_folder(options.project)]:
        for folder in runs_of(project, problems):
            try:
                rows.append(
                    _row(folder, problems) | ({"project": str(project)} if options.all else {})
                )
            except DiagnosticError as error:
                problems += error.problems
    if options.json:
        write_document({"runs": rows})
    elif rows:
        head = ("run", "name", "state", "epochs", "steps", "metrics")
        names = ("project",) if options.all else ()
        write_table([tuple(map(said, (*head, *names))), *map(_cells, rows)])
    for problem in problems:
        write_error(in_words(problem))
    return 0


def events(options: Namespace) -> int:
    """Print the events of a run, and with ``--follow`` those to come until it is over."""
    follower = RunFollower(find_run(project_folder(options.project), options.run))
    try:
        while True:
            state, found = follower.poll()
            for stored in found:
                write_json(encode_event(stored.event).decode())
            if not options.follow or state.status.is_over():
                return 0
            time.sleep(_POLL_S)
    finally:
        follower.close()


def _repeated(options: Namespace, problems: list[Diagnostic]) -> int:
    """Show the cross-validations, or what was trained with several seeds."""
    look, name = cross_validations, "cross_validations"
    if options.seeds:
        look, name = repeated_seeds, "repeated_seeds"
    projects = _recent() if options.all else [project_folder(options.project)]
    found = tuple(
        each for project in projects for each in look(runs_of(project, problems), problems)
    )
    if options.json:
        write_document({name: [fold_document(each) for each in found]})
    else:
        write_all(found)
    for problem in problems:
        write_error(in_words(problem))
    return 0


def _data(options: Namespace, problems: list[Diagnostic]) -> int:
    """Tell how the data of the runs of a project differs from that of the first."""
    if options.all:
        raise UsageError(said("--data compares the runs of one PROJECT"))
    folders = runs_of(project_folder(options.project), problems)
    if folders:
        paths = tuple(str(folder.path) for folder in folders)
        report = ask(CompareData(run_folders=paths, start=options.skip, count=options.samples))
        documents = list(_data_documents(folders, report))
        if options.json:
            write_document({"runs": documents})
        else:
            head = tuple(map(said, ("run", "version", "data")))
            write_table([head, *map(_data_cells, documents)])
            for folder, difference in zip(folders[1:], report.others, strict=True):
                _write_samples(folder.id, folders[0].id, difference.samples, options.skip)
    elif options.json:
        write_document({"runs": []})
    for problem in problems:
        write_error(in_words(problem))
    return 0


def _write_samples(run: str, first: str, difference: SampleDifference | None, skipped: int) -> None:
    """Write which samples of a run differ from those of the first."""
    if difference is None or not difference.samples:
        return
    write()
    rows = [
        (
            each.name,
            _sample_text(each.first, each.first_class),
            _sample_text(each.other, each.other_class),
        )
        for each in difference.samples
    ]
    write_table([(said("sample"), first, run), *rows])
    left = difference.differing - skipped - len(rows)
    if left > 0:
        write(
            said("… {count} more: --samples N, --skip {skip}", count=left, skip=skipped + len(rows))
        )


def _sample_text(state: str, label: str) -> str:
    return f"{state} {label}" if label else state


def _data_documents(
    folders: Sequence[RunFolder], report: DataComparison
) -> Iterator[dict[str, object]]:
    first = DataDifference(parts=None if report.versions[0] is None else ())
    for folder, version, difference in zip(
        folders, report.versions, (first, *report.others), strict=True
    ):
        yield {
            "run": folder.id,
            "version": "" if version is None else version.short,
            "differences": None if difference.parts is None else list(difference.parts),
            "samples": msgspec.to_builtins(difference.samples),
        }


def _data_cells(row: dict[str, object]) -> tuple[str, str, str]:
    parts, samples = row["differences"], row["samples"]
    if not isinstance(parts, list):
        return str(row["run"]), str(row["version"]) or "-", said("not recorded")
    text = said("other {names}", names=said(", ").join(map(said, parts))) if parts else said("same")
    if parts and isinstance(samples, dict):
        names = {
            "only_first": "missing",
            "only_other": "added",
            "moved": "in other sets",
            "relabelled": "relabeled",
        }
        counts = [f"{samples[key]} {said(word)}" for key, word in names.items() if samples[key]]
        text += said(" (samples: {counts})", counts=said(", ").join(counts) or said("the same"))
    return str(row["run"]), str(row["version"]), text


def _recent() -> tuple[Path, ...]:
    """Return the projects that were opened in the window lately, newest first."""
    return SettingsStore().recent_projects()


def project_folder(path: str) -> Path:
    """Return the folder of a project. Raises :class:`DiagnosticError` when it is none."""
    return Project.open(path).path


def _row(folder: RunFolder, problems: list[Diagnostic]) -> dict[str, object]:
    state = read_state(folder, problems)
    certificate = read_certificate(folder.path)
    return {
        "run": folder.id,
        "name": folder.document.name,
        "state": str(state.status),
        "created": datetime.fromtimestamp(folder.document.created).astimezone().isoformat(),
        "epochs": state.epoch,
        "steps": state.step,
        "seconds": round(state.elapsed_s, 3),
        "metrics": state.metrics,
        "data": None if state.data is None else msgspec.to_builtins(state.data),
        "checkpoints": [info.file for info in state.checkpoints],
        "best": state.best.file if state.best else None,
        "note": folder.document.note,
        "tags": list(folder.document.tags),
        "certificate": None if certificate is None else certificate_document(certificate),
    }


def _cells(row: dict[str, object]) -> tuple[str, ...]:
    metrics = row["metrics"]
    assert isinstance(metrics, dict)
    shown = ", ".join(f"{name} {number(value)}" for name, value in metrics.items())
    where = [str(row["project"])] if "project" in row else []
    names = (str(row["run"]), str(row["name"]), said(str(row["state"])))
    return (*names, str(row["epochs"]), str(row["steps"]), shown, *where)
