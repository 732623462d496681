"""Writers of the weights of a run, and of one tensor."""

from pathlib import Path

import numpy as np
from msgspec.structs import replace

from engine.export.report import ExportReport
from engine.export.tensor_file import write_tensor
from engine.export.write import export_run
from engine.query.export.int8 import compare
from engine.query.export.request import Export, SavedTensor, SaveTensor

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


def save_tensor(request: SaveTensor) -> SavedTensor:
    """Write a tensor into a file of PyTorch. Raises :class:`DiagnosticError`."""
    array = np.frombuffer(request.data, dtype=request.stored).reshape(request.shape)
    write_tensor(Path(request.file), array, request.dtype)
    return SavedTensor(file=request.file)
