"""The computation compiled to machine code by AOTInductor, in one ``.pt2`` package."""

import os
import shutil
import tempfile
from pathlib import Path

import torch
from torch._inductor import aoti_compile_and_package

from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.export.beside_file import copying
from engine.export.job import ExportJob
from engine.export.outside import Reading, write_compared
from engine.export.predicting_file import with_predicting_file
from engine.export.torch_file import loading_snippet, loading_text, torch_reader
from engine.export.tracing import Traced, refusal, traced
from engine.export.written import Written

_COMPILERS = ("g++", "clang++", "c++", "cl")


def write_compiled(job: ExportJob, output: Path) -> Written:
    """Trace the model with two samples, compile it and write the package; it takes its place only
    after a process that knows nothing of Trellis computed the same with it, for other batch sizes.
    It is told that it holds machine code (X066).

    Raises :class:`DiagnosticError`: X065 without a C++ compiler, X035 the outputs differ, X037 an
    operation cannot be exported (with its node), X038 the batch size is fixed, X040 the file cannot
    be loaded, X042 it cannot be compiled.
    """
    if not has_compiler():
        raise DiagnosticError.of("X065")
    found = traced(job)
    told = Diagnostic(
        code="X066",
        severity=Severity.HINT,
        params={"version": torch.__version__.partition("+")[0]},
    )
    compared = found.compared._replace(notices=(told, *found.compared.notices))
    job.tell("compile")
    with tempfile.TemporaryDirectory() as folder:
        package = _compiled(job, found, Path(folder))
        with Reading(torch_reader("compiled")) as reading:
            written = write_compared(job, output, copying(package), compared, reading)
    written = with_predicting_file(job, output, written, _loading)
    load = f"torch._inductor.aoti_load_package({output.name!r})"
    return written._replace(snippet=loading_snippet(compared.batches[-1], load))


def has_compiler() -> bool:
    """Return whether there is a C++ compiler."""
    names = [*filter(None, [os.environ.get("CXX")]), *_COMPILERS]
    return any(shutil.which(name) for name in names)


def _loading(name: str) -> str:
    return loading_text(name, "torch._inductor.aoti_load_package(str(MODEL))")


def _compiled(job: ExportJob, found: Traced, folder: Path) -> Path:
    package = folder / "model.pt2"
    try:
        with torch.no_grad():
            aoti_compile_and_package(found.program, package_path=str(package))
    except Exception as error:  # the compiler may raise anything
        raise DiagnosticError(refusal(job, error, "AOTInductor")) from error
    return package
