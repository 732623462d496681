"""How far the reading of data is, as plain values."""

from typing import Literal

import msgspec

ReadUnit = Literal["files", "rows", "characters", "bytes"]
ReadStage = Literal["read", "learn", "cut"]
"""Data are read, subwords are learned from them, or they are cut into these."""


class FileProgress(msgspec.Struct, frozen=True, kw_only=True):
    """So many files of a folder, or rows, characters or bytes of a file, have been looked at, of
    ``total`` (0: nobody knows yet).
    """

    path: str
    done: int
    unit: ReadUnit
    total: int = 0
    stage: ReadStage = "read"
