"""The commands about data: a project for the user's own, and what the data of a project is."""

import queue
import sys
from argparse import Namespace
from pathlib import Path

import msgspec

from engine.diagnostics import DiagnosticError, Severity
from engine.graph.model import Graph
from engine.project import Project
from engine.project.document import ProjectDocument
from engine.query.ask import ask
from engine.query.data.request import DescribeData, DescribeEdits, ProposeData
from engine.query.download.request import (
    DownloadData,
    DownloadDone,
    DownloadFailed,
    DownloadMessage,
)
from engine.runtime.job.request_job import DownloadJob
from engine.spec.custom_code import data_code
from engine.spec.data import DataInfo
from engine.spec.edits_info import EditsInfo
from engine.spec.run import Choice
from studio.cli.data_root import take_roots
from studio.cli.edit_command import edit_project
from studio.cli.health_output import check_health, is_wrong, write_report, write_report_document
from studio.cli.output import in_words, write, write_document, write_error, write_table
from studio.cli.progress import DownloadLine
from studio.cli.trusting import remember, trust_project


def new(options: Namespace) -> int:
    """Make a project folder, from a template or for data."""
    if options.data is None:
        project = Project.create(options.project, options.template)
    else:
        project = _project_for(Path(options.data), options)
    remember(project.path, project.graph.code)
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
    edits = ask(DescribeEdits(data=spec, code=code))
    if options.json:
        told = msgspec.to_builtins(edits)
        told["version"] = {"short": edits.version.short} | told["version"]
        write_document(msgspec.to_builtins(info) | {"edits": told})
    else:
        _write_info(info)
        _write_edits(edits)
    has_errors = any(problem.severity is Severity.ERROR for problem in info.problems)
    return 1 if has_errors else 0


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


def _project_for(path: Path, options: Namespace) -> Project:
    """Make a project with a proposal for the data at a path."""
    question = ProposeData(
        path=str(path.absolute()), target=options.target or "", size=options.size
    )
    proposal = ask(question)
    document = ProjectDocument(graph=proposal.graph or Graph(), spec=proposal.spec)
    project = Project.create_from(options.project, document)
    for problem in proposal.info.problems:
        write_error(in_words(problem))
    if proposal.graph is None:
        write_error("There is no first model for this kind of data. Draw one on the canvas.")
    return project


def _write_edits(edits: EditsInfo) -> None:
    counts = (
        ("excluded", edits.excluded),
        ("relabeled", edits.relabelled),
        ("moved", edits.moved),
        ("tagged", edits.tagged),
        ("of other data", edits.others),
    )
    words = ", ".join(f"{count} {word}" for word, count in counts if count)
    write(f"edited samples: {edits.samples}{f' ({words})' if words else ''}")
    write(f"version: {edits.version.short}")


def _write_info(info: DataInfo) -> None:
    rows = [("field", "kind", "role", "shape", "dtype")]
    rows += [
        (field.name, field.kind, field.role, str(field.shape), field.dtype) for field in info.fields
    ]
    write_table(rows)
    write(f"samples: {info.samples}")
    for part in info.splits:
        counts = f" ({', '.join(map(str, part.class_counts))})" if part.class_counts else ""
        write(f"{part.name}: {part.samples}{counts}")
    for problem in info.problems:
        write_error(in_words(problem))
