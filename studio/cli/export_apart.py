"""Exports that take long, as the command has them: in a process of their own, with their stage."""

import queue
import sys

from engine.diagnostics import DiagnosticError
from engine.query.export.request import (
    ExportDone,
    ExportFailed,
    ExportMessage,
    ExportStage,
    ExportWritten,
    WriteExport,
)
from engine.runtime import ExportReport
from engine.spec.export_stage import Stage
from studio.cli.interrupt import Interrupts
from studio.cli.progress import StageLine
from studio.cli.wording import said


def export_apart(request: WriteExport) -> ExportReport:
    """Write an export and show on a terminal what it is at; Ctrl+C gives it up and leaves nothing.
    Raises :class:`DiagnosticError`.
    """
    from engine.runtime.job.request_job import ExportJob

    messages: queue.SimpleQueue[ExportMessage] = queue.SimpleQueue()
    line = StageLine(sys.stderr)
    found: ExportReport | None = None
    job = ExportJob(request, messages.put)
    try:
        with Interrupts():
            job.start()
            while True:
                match messages.get():
                    case ExportStage(stage=stage):
                        line.show(stage_text(stage))
                    case ExportWritten(report=report):
                        found = report
                    case ExportFailed(problems=problems):
                        raise DiagnosticError(*problems)
                    case ExportDone():
                        assert found is not None
                        return found
    finally:
        job.close()
        line.close()


def stage_text(stage: Stage) -> str:
    """Return what an export is at, in the language of the terminal."""
    match stage:
        case "load":
            return said("loading the model")
        case "trace":
            return said("tracing the model")
        case "compile":
            return said("compiling the model, which takes minutes")
        case "write":
            return said("writing the file")
        case "check":
            return said("comparing in another process")
