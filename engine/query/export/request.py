"""Requests to write a file, and their reports."""

import msgspec

from engine.diagnostics import Diagnostic
from engine.export.report import ExportReport
from engine.query.request import Request
from engine.spec.export_stage import Stage


class SavedTensor(msgspec.Struct, frozen=True, kw_only=True):
    """A tensor was written to a file."""

    file: str


class Export(Request[ExportReport], frozen=True, kw_only=True):
    """Write the weights of a checkpoint in a format, load them back and compare."""

    run_folder: str
    format: str
    output: str
    checkpoint: str = "best"
    overwrite: bool = True

    handler = "engine.query.export.answer.export"
    custom_code = "run"
    is_slow = True


class WriteExport(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Write a format that takes long in a process of its own; as :class:`Export`. ``trusted`` lets
    custom code run.
    """

    run_folder: str
    format: str
    output: str
    checkpoint: str = "best"
    overwrite: bool = True
    trusted: bool = False


def apart(request: Export, *, trusted: bool) -> WriteExport:
    """Return an export as one for a process of its own."""
    return WriteExport(
        run_folder=request.run_folder,
        format=request.format,
        output=request.output,
        checkpoint=request.checkpoint,
        overwrite=request.overwrite,
        trusted=trusted,
    )


class ExportStage(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """What the export is at now."""

    stage: Stage


class ExportWritten(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The file is there and was compared."""

    report: ExportReport


class ExportDone(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """All is told."""


class ExportFailed(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Why nothing was written."""

    problems: tuple[Diagnostic, ...]


ExportMessage = ExportStage | ExportWritten | ExportDone | ExportFailed


class SaveTensor(Request[SavedTensor], frozen=True, kw_only=True):
    """Write elements, row by row as numpy's type ``stored``, into a file of PyTorch; ``dtype`` is
    what PyTorch calls the type of the tensor that they are of.
    """

    file: str
    shape: tuple[int, ...]
    stored: str
    data: bytes
    dtype: str

    handler = "engine.query.export.answer.save_tensor"
    is_slow = True
