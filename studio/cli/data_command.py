"""The commands about data: a project for the user's own, and what the data of a project is."""

from argparse import Namespace
from pathlib import Path

import msgspec

from engine.diagnostics import Severity
from engine.graph.model import Graph
from engine.project import Project
from engine.project.document import ProjectDocument
from engine.query.ask import ask
from engine.query.data.request import DescribeData, ProposeData
from engine.spec.data import DataInfo
from studio.cli.output import in_words, write, write_document, write_error, write_table
from studio.cli.trusting import remember


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
    """Tell fields, parts and findings of the data of a project."""
    info = ask(DescribeData(data=Project.open(options.project).spec.data))
    if options.json:
        write_document(msgspec.to_builtins(info))
    else:
        _write_info(info)
    is_wrong = any(problem.severity is Severity.ERROR for problem in info.problems)
    return 1 if is_wrong else 0


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
