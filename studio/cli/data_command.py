"""The commands about data: a project for the user's own, and what the data of a project is."""

import queue
import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from engine.catalog.spec import Value
from engine.diagnostics import Diagnostic, DiagnosticError, Severity, shortened
from engine.files import is_folder
from engine.graph.model import Graph
from engine.project import Project
from engine.project.document import ProjectDocument
from engine.query.data.request import (
    DescribeData,
    DescribeEdits,
    DescribeStatistics,
    ProposeData,
)
from engine.query.download.request import (
    DownloadData,
    DownloadDone,
    DownloadFailed,
    DownloadMessage,
)
from engine.runtime.job.request_job import DownloadJob
from engine.spec.custom_code import data_code
from engine.spec.data import DataInfo, Reason
from engine.spec.day import DayTexts
from engine.spec.edits_info import EditsInfo
from engine.spec.proposal import FILE_READERS, FOLDER_READERS, Answers, Proposal, is_published
from engine.spec.run import Choice
from engine.spec.statistics import DataStatistics, FieldStatistics, PixelCounts
from engine.spec.table import names_text
from studio.cli.asking import ask
from studio.cli.data_root import take_roots
from studio.cli.edit_command import edit_project
from studio.cli.file_check import damaged_files
from studio.cli.health_output import check_health, is_wrong, write_report, write_report_document
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
from studio.cli.progress import DownloadLine, ReadingLine
from studio.cli.proposal_output import FIELD_KINDS, ROLES, write_proposal, write_proposal_document
from studio.cli.trusting import remember, trust_project
from studio.cli.wording import said

_SHOWN = 30  # columns of a field
_READ_FROM = 3  # columns that a field is read from
_REASONS: dict[Reason, str] = {
    "missing": "with missing values",
    "filtered": "filtered out",
    "damaged": "damaged files, others stand for them",
    "excluded": "excluded",
    "unassigned": "in no part",
}
_TYPED = {
    "data.source.target": "At the command line: --target COLUMN.",
    "data.source.kinds": "At the command line: --kind COLUMN=KIND (ignored leaves the column out).",
    "data.source.encoding": "At the command line: --encoding NAME.",
    "data.source.skip_rows": "At the command line: --set data.source.skip_rows=LINES.",
    "data.source.keep_totals": "At the command line: --set data.source.keep_totals=true.",
    "data.source.class_folders": (
        "At the command line: train with --set data.source.class_folders=outer "
        "--set data.split.kind=random --fit-inputs."
    ),
    "data.source.decimal": "At the command line: --set data.source.decimal=point (or comma).",
}
"""What can be typed about the setting that a problem is of."""
_MOST_COUNTS = 100  # classes, of which each is written


def new(options: Namespace) -> int:
    """Make a project folder, from a template or for data."""
    if options.data is not None:
        return _new_for(Path(options.data), options)
    project = Project.create(options.project, options.template)
    remember(project.path, project.graph.code)
    if options.json:
        write_document({"project": str(project.path), "template": options.template})
    else:
        write(str(project.path))
    return 0


def data(options: Namespace) -> int:
    """Tell fields, parts, edits and findings of the data of a project, downloaded first or edited
    if that is wanted, or what a check of the data finds.
    """
    take_roots(options)
    if options.health:
        return _health(options)
    project = Project.open(options.project)
    for problem in project.notices:
        write_error(in_words(problem))
    if options.download:
        _download(project.spec.data.source)
    trust_project(project, options)
    edit_project(project, options)
    spec = project.spec.data
    code = data_code(spec, project.graph.code)
    info = ask(DescribeData(data=spec, code=code))
    statistics, problems = _statistics(DescribeStatistics(data=spec, code=code))
    info = replace(info, problems=(*info.problems, *problems))
    edits = ask(DescribeEdits(data=spec, code=code))
    if options.json:
        told = msgspec.to_builtins(edits)
        told["version"] = {"short": edits.version.short} | told["version"]
        measured = {
            "statistics": [_told_field(each) for each in statistics.fields],
            "missing": msgspec.to_builtins(statistics.missing),
            "pixels": msgspec.to_builtins(statistics.pixels),
            "parts": [
                msgspec.to_builtins(part) | {"fields": [_told_field(each) for each in part.fields]}
                for part in statistics.parts
            ],
        }
        write_document(msgspec.to_builtins(info) | measured | {"edits": told})
    else:
        _write_info(info)
        _write_statistics(info, statistics)
        _write_missing(statistics)
        _write_pixels(info, statistics)
        _write_edits(edits)
    has_errors = any(problem.severity is Severity.ERROR for problem in info.problems)
    return 1 if has_errors else 0


def _told_field(field: FieldStatistics) -> dict[str, object]:
    """Return the statistics of a field for a program; of columns without any value nothing."""
    told: dict[str, object] = msgspec.to_builtins(field)
    numbers = {"mean": field.mean, "std": field.std, "low": field.low, "high": field.high}
    for name, values in numbers.items():
        told[name] = [None if field.is_empty(at) else value for at, value in enumerate(values)]
    return told


def _statistics(question: DescribeStatistics) -> tuple[DataStatistics, tuple[Diagnostic, ...]]:
    """Return what samples are like, or why some cannot be read."""
    try:
        return ask(question), ()
    except DiagnosticError as error:
        return DataStatistics(), error.problems


def _health(options: Namespace) -> int:
    project = Project.open(options.project)
    trust_project(project, options)
    report = check_health(project)
    (write_report_document if options.json else write_report)(report)
    return 1 if is_wrong(report) else 0


def _download(source: Choice) -> None:
    """Download a data set and show how far it is. Raises ``DiagnosticError`` where it cannot be."""
    messages: queue.SimpleQueue[DownloadMessage] = queue.SimpleQueue()
    job = DownloadJob(DownloadData(source=source), messages.put)
    line = DownloadLine(sys.stderr)
    job.start()
    try:
        while not isinstance(message := messages.get(), DownloadDone):
            if isinstance(message, DownloadFailed):
                raise DiagnosticError(*message.problems)
            line.show(message)
    finally:
        line.close()
        job.close()


def _proposal_for(path: Path, options: Namespace) -> Proposal:
    """Return what is proposed for the data at a path, with what was chosen.

    Raises :class:`UsageError` for kinds of columns where there are none.
    """
    _require_reader(path, options.source)
    params: dict[str, Value] = {}
    if options.kinds:
        params["kinds"] = names_text(options.kinds)
    if options.encoding:
        params["encoding"] = options.encoding
    question = ProposeData(
        path=str(path.absolute()),
        target=options.target or "",
        size=options.size,
        answers=Answers(source=options.source or "", params=params),
    )
    line = ReadingLine(sys.stderr)
    try:
        proposal = ask(question, line.show)
    finally:
        line.close()
    source = proposal.spec.data.source
    if options.kinds and "kinds" not in source.params:
        raise UsageError(
            said(
                "--kind: only a table has kinds of columns, and this is read as {type}. A table "
                "that names these files can be given in their place: --data TABLE.",
                type=source.type,
            )
        )
    if options.target and not {"target", "targets"} & {*source.params}:
        raise UsageError(f"--target {options.target}: {_own_target(proposal)}")
    return proposal


def _own_target(proposal: Proposal) -> str:
    """Return what data without columns predict, and where that comes from."""
    source, info = proposal.spec.data.source.type, proposal.info
    targets = [field for field in info.fields if field.role == "target"]
    told = f"only a table or a time series has columns, and this is read as {source}"
    if targets:
        told += f", which predicts “{targets[0].name}”"
    if source.endswith("_folder") and targets and targets[0].kind == "class":
        labels = str(proposal.spec.data.source.params.get("labels") or "")
        told += f": its classes are in {labels}" if labels else ""
        told += "" if labels else ": its classes are the names of the folders"
    return f"{told}. Omit --target."


def _new_for(path: Path, options: Namespace) -> int:
    """Make a project with a proposal for the data at a path, and tell what was proposed."""
    try:
        proposal = _proposal_for(path, options)
    except DiagnosticError as error:
        told = _typed(error.problems[0], path)
        if not told:
            raise
        write_error(summary(error.problems))
        write_error(told)
        return 1
    document = ProjectDocument(graph=proposal.graph or Graph(), spec=proposal.spec)
    project = Project.create_from(options.project, document)
    remember(project.path, project.graph.code)
    known = proposal.info.problems
    damaged = damaged_files(proposal.spec.data, proposal.info, project.graph.code, known)
    problems = (*known, *damaged)
    if options.json:
        write_proposal_document(project.path, proposal, problems)
        return 0
    for problem in problems:
        write_error(in_words(problem))
        if told := _typed(problem, path):
            write_error(told)
    _write_reading(proposal, options)
    if proposal.time_column:
        write_error(
            said(
                "The rows are in the order of “{column}”, so the split is by time: "
                "the model is tested on the latest. --set data.split.kind=random for another.",
                column=proposal.time_column,
            )
        )
    if proposal.graph is None:
        write_error(said("There is no first model for this kind of data. Draw one on the canvas."))
    if options.quiet:
        write(str(project.path))
    else:
        write_proposal(project.path, proposal, options.size)
    return 0


def _typed(problem: Diagnostic, path: Path) -> str:
    """Return what can be typed about a problem of the data, empty where there is nothing."""
    if problem.code == "D585":
        return said("At the command line: --encoding NAME, for example --encoding cp1251.")
    if problem.code == "D025":
        other = "" if is_folder(path) else said(" A file of sentences: --as text.")
        told = said("For another target: --target COLUMN; for another kind: --kind COLUMN=KIND.")
        return f"{told}{other}"
    typed = _TYPED.get(problem.field or "")
    return said(typed) if typed else ""


def _require_reader(path: Path, kind: str | None) -> None:
    """Raise :class:`UsageError` for a kind of source that reads no such file or folder."""
    readers = ("table", *FOLDER_READERS)
    if not is_folder(path):
        readers = (*FILE_READERS, "detection_folder", "image_folder")
    if kind is not None and kind not in readers and not (is_folder(path) and is_published(kind)):
        what = said("folder") if is_folder(path) else said("file")
        raise UsageError(
            said(
                "--as {kind}: a {what} is read as one of {names}.",
                kind=kind,
                what=what,
                names=", ".join(readers),
            )
        )


def _write_reading(proposal: Proposal, options: Namespace) -> None:
    """Write that rows are read as a time series, and how else they can be."""
    params = proposal.spec.data.source.params
    if proposal.spec.data.source.type == "series" and "time" in params and not options.source:
        write_error(
            said(
                "The rows follow one another in “{column}”, so they are a time series: "
                "“{target}” is predicted from the rows before. --as table for each row alone, "
                "--target for another column.",
                column=params["time"],
                target=params.get("targets", ""),
            )
        )


def _write_statistics(info: DataInfo, statistics: DataStatistics) -> None:
    """Write mean, deviation and ends of channels and columns in each part."""
    rows: list[tuple[str, ...]] = [
        (said("values"), said("part"), said("mean"), said("std"), said("min"), said("max"))
    ]
    dates = info.date_columns
    for name in dict.fromkeys(each.name for part in statistics.parts for each in part.fields):
        field = info.field(name)
        found = [(p.part, each) for p in statistics.parts for each in p.fields if each.name == name]
        own = found[0][1].columns or (() if field is None else field.entry_names)
        count = max(len(each.mean) for _, each in found)
        titles = own if len(own) == count else [str(at) for at in range(count)]
        for at, title in list(enumerate(titles))[:_SHOWN]:
            rows += [
                (f"{name}: {title}", part, *_numbers(measured, at, is_date=title in dates))
                for part, measured in found
                if at < len(measured.mean)
            ]
        if count > _SHOWN:
            rows.append((f"{name}: … {count - _SHOWN:,}", *[""] * 5))
    if len(rows) > 1:
        write_table(rows)


def _numbers(measured: FieldStatistics, at: int, *, is_date: bool) -> tuple[str, ...]:
    if measured.is_empty(at):
        return ("–",) * 4
    values = (measured.mean[at], measured.std[at], measured.low[at], measured.high[at])
    if is_date:
        found = DayTexts.of(*values)
        days = said("{count} days", count=number(found.deviation))
        return found.mean, days, found.lowest, found.highest
    return tuple(map(number, values))


def _write_missing(statistics: DataStatistics) -> None:
    """Write how many values are missing in the columns that lack some, and how many in each part;
    rows that are left out are in none.
    """
    lacking = [each for each in statistics.missing if each.missing]
    by_part = {
        (each.column, part.part): each.missing for part in statistics.parts for each in part.missing
    }
    words: list[str] = []
    for each in lacking[:_SHOWN]:
        parts = [(p.part, by_part.get((each.column, p.part), 0)) for p in statistics.parts]
        told = ", ".join(f"{part} {count}" for part, count in parts)
        count = said("{missing} of {rows}", missing=each.missing, rows=each.rows)
        words.append(f"{each.column} {count}{f' ({told})' if told else ''}")
    if len(lacking) > _SHOWN:
        words.append(f"… {len(lacking) - _SHOWN:,}")
    if words:
        write(said("missing values: {words}", words=", ".join(words)))
        if any(field.missing for part in statistics.parts for field in part.fields):
            write(
                said("The statistics are of the values that are there, not of what is filled in.")
            )


def _write_pixels(info: DataInfo, statistics: DataStatistics) -> None:
    """Write how many pixels are of each class in each part, with their shares."""
    classes = next((f.classes for f in info.fields if f.role == "target" and f.kind == "mask"), ())
    if not statistics.pixels:
        return
    rows: list[tuple[str, ...]] = [(said("pixels"), *(part.part for part in statistics.pixels))]
    for at, name in list(enumerate(classes))[:_MOST_COUNTS]:
        rows.append((name, *(_share_text(part, part.classes[at]) for part in statistics.pixels)))
    if any(part.without_class for part in statistics.pixels):
        rest = (_share_text(part, part.without_class) for part in statistics.pixels)
        rows.append((said("of no class"), *rest))
    write_table(rows)


def _share_text(part: PixelCounts, count: int) -> str:
    total = sum(part.classes) + part.without_class
    return f"{count} ({count / total:.2%})" if total else "0"


def _counts_text(counts: Sequence[int]) -> str:
    """Return the samples of each class; of many classes how many there are, and the extremes."""
    if not counts:
        return ""
    if len(counts) <= _MOST_COUNTS:
        return f" ({', '.join(map(str, counts))})"
    return said(
        " ({count} classes of {least} to {most} samples)",
        count=len(counts),
        least=min(counts),
        most=max(counts),
    )


def _write_edits(edits: EditsInfo) -> None:
    counts = (
        (said("excluded"), edits.excluded),
        (said("relabeled"), edits.relabelled),
        (said("moved"), edits.moved),
        (said("tagged"), edits.tagged),
        (said("of other data"), edits.others),
    )
    words = ", ".join(f"{count} {word}" for word, count in counts if count)
    told = f"{edits.samples}{f' ({words})' if words else ''}"
    write(said("edited samples: {count}", count=told))
    write(said("version: {version}", version=edits.version.short))


def _write_info(info: DataInfo) -> None:
    rows = [(said("field"), said("kind"), said("role"), said("shape"), "dtype", said("column"))]
    rows += [
        (
            field.name,
            said(FIELD_KINDS[field.kind]),
            said(ROLES[field.role]),
            str(field.shape),
            field.dtype,
            shortened(info.field_columns.get(field.name, ()), _READ_FROM),
        )
        for field in info.fields
    ]
    write_table(rows if info.field_columns else [row[:-1] for row in rows])
    write(said("samples: {count}", count=info.samples))
    if info.left_out:
        words = (f"{each.count} {said(_REASONS[each.reason])}" for each in info.left_out)
        write(said("not used: {words}", words=", ".join(words)))
    for part in info.splits:
        write(f"{part.name}: {part.samples}{_counts_text(part.class_counts or part.label_counts)}")
    for problem in info.problems:
        write_error(in_words(problem))
