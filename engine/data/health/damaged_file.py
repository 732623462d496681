"""Files that cannot be read: the finding about them, and what repairs it."""

from collections.abc import Mapping
from itertools import chain
from pathlib import Path

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup
from engine.data.health.finding import MOST_SAMPLES, Shown, finding, listed
from engine.data.health.subject import Subject
from engine.data.load.edited import edit_names
from engine.data.source.source import Source
from engine.diagnostics import NAMED_IN_ROW, Diagnostic, DiagnosticError, Severity
from engine.graph.repair.case import RepairProposal, words
from engine.spec.data import FieldInfo
from engine.spec.health import HealthFinding
from engine.spec.run import DataSpec


def damaged_files(
    code: str, subject: Subject, field: FieldInfo | None, damaged: Mapping[int, DiagnosticError]
) -> tuple[HealthFinding, ...]:
    """Return the finding ``code`` about the samples whose files cannot be read, if there are any;
    ``field`` is made of the files.
    """
    if not damaged:
        return ()
    indices = sorted(damaged)
    replacing = replacing_repair(subject.spec)
    name = "" if field is None else field.name
    problem = Diagnostic.of(
        code,
        severity=Severity.WARNING if _is_replaced(subject.spec) else Severity.ERROR,
        field="data.source.path",
        count=len(indices),
        names=listed(subject.source.text(name, index) or str(index) for index in indices),
        detail=damaged[indices[0]].problems[0].detail,
    )
    return (
        finding(
            problem,
            subject,
            Shown(indices=indices[:MOST_SAMPLES]),
            total=len(indices),
            surplus=indices,
            repairs=(replacing,),
            is_excluding=True,
        ),
    )


def file_repairs(source: Source, spec: DataSpec, problem: Diagnostic) -> tuple[RepairProposal, ...]:
    """Return what repairs a finding about one file of a source that is loaded: to leave its sample
    out, or to have other files stand in for damaged ones.
    """
    index = _sample_of(source, problem)
    repairs: list[RepairProposal] = []
    if index is not None:
        names = tuple(edit_names(spec, source, [index]))
        repairs.append(RepairProposal(words=words("D228", count=1), excluded=names))
    replacing = replacing_repair(spec)
    return (*repairs, *(() if replacing is None else (replacing,)))


def replacing_repair(spec: DataSpec) -> RepairProposal | None:
    """Return the repair that lets another file stand in for a damaged one; None where the source
    cannot, or does so.
    """
    entry = catalog().entry(EntryGroup.DATA, spec.source.type)
    if _is_replaced(spec) or entry is None or entry.param("on_damaged") is None:
        return None
    return RepairProposal(words=words("D227"), settings={"data.source.on_damaged": "replace"})


def _is_replaced(spec: DataSpec) -> bool:
    return spec.source.params.get("on_damaged") == "replace"


def _sample_of(source: Source, problem: Diagnostic) -> int | None:
    """Return the sample that a file belongs to, by the row that names it or by its path."""
    if NAMED_IN_ROW in problem.params:
        name = str(problem.params[NAMED_IN_ROW])
        return source.find_samples([name]).get(name)
    file = Path(str(problem.params.get("file", "")))
    names = [info.name for info in source.infos]
    # Most samples are called by the path of their file below some folder.
    places = ["/".join(file.parts[-count:]) for count in range(1, len(file.parts))]
    likely = source.find_samples(places).values()
    return next(
        (
            index
            for index in chain(likely, range(source.samples))
            if any(source.file(name, index) == file for name in names)
        ),
        None,
    )
