"""Requests to write a file, and their reports."""

import msgspec

from engine.export.report import (
    ExportReport,
)
from engine.query.request import Request


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
