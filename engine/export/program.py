"""The computation with its weights as a ``.pt2`` file of ``torch.export``, for any batch size."""

from pathlib import Path

import torch

from engine.export.job import ExportJob
from engine.export.outside import Reading, write_compared
from engine.export.predicting_file import with_predicting_file
from engine.export.preparation import PREPARATION, preparation_text
from engine.export.torch_file import loading_snippet, loading_text, torch_reader
from engine.export.tracing import traced
from engine.export.written import Written
from engine.files import WriteTarget

READER = torch_reader("program")
"""Knows PyTorch alone."""


def write_program(job: ExportJob, output: Path) -> Written:
    """Trace the model with two samples and write it; the file takes its place only after a process
    that knows nothing of Trellis computed the same with it, for other batch sizes.

    Raises :class:`DiagnosticError`: X035 the outputs differ, X037 an operation cannot be exported
    (with its node), X038 the batch size is fixed, X040 the file cannot be loaded.
    """
    with Reading(READER) as reading:
        found = traced(job)
        beside = {PREPARATION: preparation_text(job, output.name)}

        def write(target: WriteTarget) -> None:
            torch.export.save(found.program, target, extra_files=beside)  # pyright: ignore[reportArgumentType] - it only writes and flushes

        written = write_compared(job, output, write, found.compared, reading)
    written = with_predicting_file(job, output, written, _loading)
    load = f"torch.export.load({output.name!r}).module()"
    return written._replace(snippet=loading_snippet(found.compared.batches[-1], load))


def _loading(name: str) -> str:
    return loading_text(name, "torch.export.load(MODEL).module()")
