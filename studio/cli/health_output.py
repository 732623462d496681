"""Health check of a project in the terminal: progress, findings, and the document of them."""

import sys

import msgspec
from msgspec.structs import replace

from engine.diagnostics import Severity, printable, sentence
from engine.project import Project
from engine.query.health.request import CheckDataHealth
from engine.spec.health import CheckResult, HealthFinding, HealthReport, SampleEvidence
from engine.spec.loss_rule import weighs_classes
from studio.cli.asking import ask
from studio.cli.output import in_words, write, write_document
from studio.cli.progress import CheckLine
from studio.cli.wording import said
from studio.installation import language

_STEP_S = 0.5
_SHOWN = 5


def check_health(project: Project) -> HealthReport:
    """Return what is wrong with the data of a project; a terminal shows how far it is meanwhile.

    Raises :class:`DiagnosticError` for data that cannot be loaded.
    """
    question = CheckDataHealth(
        data=project.spec.data,
        project=str(project.path),
        code=dict(project.graph.code),
        is_weighted=weighs_classes(project.spec),
        seconds=_STEP_S,
    )
    line = CheckLine(sys.stderr)
    while (step := ask(question)).report is None:
        line.show(step.done / max(step.total, 1))
    line.close()
    return step.report


def write_report(report: HealthReport) -> None:
    """Write the findings, the worst first, each with some of the samples that show it."""
    for found in report.findings:
        problem = found.problem
        write(f"{said(problem.severity.value)} {problem.code}: {in_words(problem)}")
        for sample in found.samples[:_SHOWN]:
            write(f"  {_line(sample)}")
        if found.total > _SHOWN:
            write(f"  … {found.total:,}")
        for repair in found.repairs:
            write(f"  → {sentence(repair.words, language())}")
    names = [said(result.check) for result in report.checks if not result.findings]
    write(said("samples: {count}", count=report.samples))
    write(said("passed: {names}", names=said(", ").join(names) or "-"))
    write(said("labels checked: {count}", count=report.label_samples))


def write_report_document(report: HealthReport) -> None:
    """Write the report as a JSON document, without pictures."""
    checks = tuple(
        CheckResult(check=result.check, findings=tuple(map(_plain, result.findings)))
        for result in report.checks
    )
    write_document(msgspec.to_builtins(replace(report, checks=checks)))


def is_wrong(report: HealthReport) -> bool:
    """Return whether there are errors."""
    return any(found.problem.severity is Severity.ERROR for found in report.findings)


def _plain(found: HealthFinding) -> HealthFinding:
    samples = tuple(replace(sample, pixels=b"") for sample in found.samples)
    return replace(found, samples=samples)


def _line(sample: SampleEvidence) -> str:
    label = f"{sample.label} → {sample.predicted}" if sample.predicted else sample.label
    parts = (f"#{sample.index}", sample.part, label, sample.text)
    return printable("  ".join(part for part in parts if part), 140)
