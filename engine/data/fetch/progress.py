"""Progress of a download of data."""

from collections.abc import Callable
from typing import Literal

FetchStage = Literal["download", "unpack"]

Tell = Callable[[FetchStage, str, int, int], None]
"""Called with the stage, the name of the file, the bytes that are done and all there are (0: not
known).
"""


def untold(stage: FetchStage, file: str, done: int, total: int) -> None:
    """Tell nobody."""
    del stage, file, done, total
