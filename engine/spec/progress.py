"""How far the reading of data is, as plain values."""

from typing import Literal

import msgspec


class FileProgress(msgspec.Struct, frozen=True, kw_only=True):
    """So many files of a folder, or rows of a file, have been looked at."""

    path: str
    done: int
    unit: Literal["files", "rows"]
