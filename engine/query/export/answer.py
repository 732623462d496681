"""Writers of the weights of a run, and of one tensor."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from engine.custom.trust import set_trust
from engine.export.report import ExportReport
from engine.export.tensor_file import write_tensor
from engine.export.write import export_run
from engine.files import remove_unfinished
from engine.query.export.int8 import compare
from engine.query.export.request import (
    Export,
    ExportMessage,
    ExportStage,
    ExportWritten,
    SavedTensor,
    SaveTensor,
    WriteExport,
)
from engine.runs.folder import RunFolder

INT8 = "int8"


def export(request: Export) -> ExportReport:
    """Write the weights of a run in a format, load them back and compare; of int8 weights also what
    they cost on the data.

    Raises :class:`DiagnosticError` (X0xx, K0xx, P00x); what stood at ``output`` before stays then.
    """
    folder, output = Path(request.run_folder), Path(request.output)
    report = export_run(
        folder, request.format, output, request.checkpoint, overwrite=request.overwrite
    )
    if request.format != INT8:
        return report
    return replace(report, int8=compare(folder, report.checkpoint, output))


def write_export(request: WriteExport, say: Callable[[ExportMessage], object]) -> None:
    """Write a format that takes long, and say its stages and what came of it. Raises as
    :func:`export`.
    """
    folder, output = Path(request.run_folder), Path(request.output)
    set_trust(RunFolder.open(folder).document.graph.code, trusted=request.trusted)
    remove_unfinished(output.parent, output.name)
    report = export_run(
        folder,
        request.format,
        output,
        request.checkpoint,
        overwrite=request.overwrite,
        tell=lambda stage: say(ExportStage(stage=stage)),
    )
    say(ExportWritten(report=report))


def save_tensor(request: SaveTensor) -> SavedTensor:
    """Write a tensor into a file of PyTorch. Raises :class:`DiagnosticError`."""
    array = np.frombuffer(request.data, dtype=request.stored).reshape(request.shape)
    write_tensor(Path(request.file), array, request.dtype)
    return SavedTensor(file=request.file)
