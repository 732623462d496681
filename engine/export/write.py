"""Exporting a run: find the checkpoint, build the model, write, read back, compare."""

import time
from dataclasses import replace
from pathlib import Path

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.export.formats import Format, find_format
from engine.export.job import build_job
from engine.export.preparation import write_preparation
from engine.export.report import ExportReport
from engine.export.tokenizer_file import tokenizer_files, write_tokenizers
from engine.export.verify import BATCH_SIZES
from engine.export.written import Tell, Written, tell_nobody
from engine.runs.folder import RunFolder


def export_run(
    run_folder: Path,
    format_name: str,
    output: Path,
    checkpoint: str,
    *,
    overwrite: bool = True,
    tell: Tell = tell_nobody,
) -> ExportReport:
    """Write the model of a run in a format and return what the comparison found.

    Raises :class:`DiagnosticError`: X003 unknown format, X004 something stands where it would be
    written and ``overwrite`` is not set, X005 that is a file that the project lives from, P006 it
    is a folder, X012 its reader would not find a file of that name, X043 and R614 for packages
    that are missing, X048 what is written beside it would take its place, K013 and K015 for the
    checkpoint, and what the files say. All files are looked at before the first is written.
    """
    found = find_format(format_name)
    _require_installed(found)
    targets = found.targets(output)
    project = RunFolder.open(run_folder).project
    _require_free(project, targets)
    _require_found(found, output)
    _require_new(targets, overwrite=overwrite)
    tell("load")
    start = time.monotonic()
    write = found.writer()
    job, info = build_job(run_folder, checkpoint)
    tokenizers = job.tokenizers if found.is_model else {}
    beside = tuple(tokenizer_files(tokenizers, output))
    _require_free(project, beside)
    _require_new(beside, overwrite=overwrite)
    written = write(replace(job, tell=tell), output)
    if not isinstance(written, Written):
        written = Written(*written, batches=len(BATCH_SIZES))
    files = written.files + write_tokenizers(tokenizers, output)
    files += (write_preparation(job, output),) if found.has_preparation_beside else ()
    return ExportReport(
        format=format_name,
        files=tuple(str(file) for file in files),
        size_bytes=sum(file.stat().st_size for file in files),
        largest_difference=written.difference,
        batches=written.batches,
        checkpoint=info.file,
        samples=written.samples,
        seconds=time.monotonic() - start,
        snippet=written.snippet,
        notices=written.notices,
    )


def _require_installed(found: Format) -> None:
    if missing := found.missing():
        names, needs = ", ".join(missing), " ".join(missing)
        if not found.extra:
            raise DiagnosticError.of("R614", package=names)
        raise DiagnosticError.of("X043", packages=names, extra=found.extra, needs=needs)


def _require_found(found: Format, output: Path) -> None:
    name = output.name
    if output in found.targets(output)[1:] and found.suffix != ".py":
        raise DiagnosticError.of("X048", file=name, suffix=found.suffix)
    if found.found_by not in name:
        raise DiagnosticError.of(
            "X012", file=name, part=found.found_by, better=f"{name}{found.suffix}"
        )


def _require_new(targets: tuple[Path, ...], *, overwrite: bool) -> None:
    taken = [file for file in dict.fromkeys(targets) if file.exists()]
    if taken and not overwrite:
        raise DiagnosticError.of("X004", file=", ".join(file.name for file in taken))


def _require_free(project: Path, targets: tuple[Path, ...]) -> None:
    for file in targets:
        params: dict[str, str | int | float] = {"file": file.name, "folder": str(file.parent)}
        if file.is_dir():
            raise DiagnosticError(Diagnostic(code="P006", params=params))
        if _is_needed(project, file):
            raise DiagnosticError(Diagnostic(code="X005", params=params))


def _is_needed(project: Path, file: Path) -> bool:
    """Return whether a project would be damaged by another file in that place."""
    place, root = file.parent.resolve() / file.name, project.resolve()
    if not place.is_relative_to(root):
        return False
    parts = place.relative_to(root).parts
    if parts[:1] == ("runs",):
        return parts[2:3] != ("artefacts",)
    return parts[:1] in ((".trellis",), ("project.json",))
