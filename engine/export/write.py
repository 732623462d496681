"""Exporting a run: find the checkpoint, build the model, write, read back, compare."""

from pathlib import Path

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.export.formats import find_format
from engine.export.job import build_job
from engine.export.report import ExportReport
from engine.export.verify import BATCH_SIZES


def export_run(
    run_folder: Path, format_name: str, output: Path, checkpoint: str, *, overwrite: bool = True
) -> ExportReport:
    """Write the model of a run in a format and return what the comparison found.

    Raises :class:`DiagnosticError`: X003 unknown format, X004 something stands at ``output`` and
    ``overwrite`` is not set, X001 and X002 for the checkpoint, and what the files say.
    """
    write = find_format(format_name).writer()
    if not overwrite and output.exists():
        raise DiagnosticError(Diagnostic(code="X004", params={"file": str(output)}))
    job, info = build_job(run_folder, checkpoint)
    files, difference = write(job, output)
    return ExportReport(
        format=format_name,
        files=tuple(str(file) for file in files),
        size_bytes=sum(file.stat().st_size for file in files),
        largest_difference=difference,
        batches=len(BATCH_SIZES),
        checkpoint=info.file,
    )
