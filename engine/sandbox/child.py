"""Confined process that reads one file of a stranger. Its arguments are the name of a reader and
what that needs; the file is its standard input, the answer its standard output.
"""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from engine.sandbox.answer import Answer

_MEMORY = 3 << 29
_SECONDS = 30
_TABLE_SECONDS = 120  # of readers of tables, which are as large as data is
_TABLE_READERS = ("spreadsheet", "parquet")


def main(arguments: list[str]) -> int:
    """Read, answer and return the exit code. The arguments are the folders of packages and the
    packages themselves, as JSON, the reader, and its own.
    """
    places, reader, *own = arguments
    folders: list[str]
    packages: list[str]
    folders, packages = json.loads(places)
    sys.path.extend(folders)  # an isolated Python has no other way

    import msgspec

    from engine.sandbox.answer import COUNT, COUNT_MARK
    from engine.sandbox.confinement import confine

    def tell(done: int, total: int) -> None:
        answer.write(COUNT.pack(COUNT_MARK, done, total))
        answer.flush()

    if reader in _TABLE_READERS:  # PyTorch only looks whether it is there
        sys.meta_path.insert(0, _NoPandas())
    read = reader_of(reader, tell)
    seconds = _TABLE_SECONDS if reader in _TABLE_READERS else _SECONDS
    if reader == "video":  # its arguments are one and the further files
        seconds *= max(len(own), 1)
    confine([Path(package) for package in packages], memory=_MEMORY, seconds=seconds, file_size=0)
    with os.fdopen(0, "rb", closefd=False) as stream, os.fdopen(1, "wb", closefd=False) as answer:
        stream.seek(0)  # who opened it may have read of it
        answer.write(msgspec.msgpack.encode(read(stream, own)))
    return 0


class _NoPandas:
    """Hides pandas: pyarrow imports it where it is installed, even to read a file for somebody
    else, and would fail at files that this process may not read.
    """

    def find_spec(self, fullname: str, *_: object) -> None:
        """Raise ``ModuleNotFoundError`` for pandas, and leave the rest to other finders."""
        if fullname == "pandas":
            raise ModuleNotFoundError("pandas is not for this process", name=fullname)


def _untold(done: int, total: int) -> None:
    del done, total


def reader_of(
    name: str, tell: "Callable[[int, int], object]" = _untold
) -> "Callable[[IO[bytes], list[str]], Answer]":
    """Return a reader; all that it needs is imported. ``tell`` hears of the rows of tables."""
    if name == "picture":
        from engine.sandbox.picture import read_picture

        return lambda stream, _: read_picture(stream)
    if name in _TABLE_READERS:
        return _table_reader(name, tell)
    if name == "tokenizer":
        from engine.sandbox.tokenizer import rehearse_tokenizer

        return lambda stream, own: rehearse_tokenizer(stream, *own)
    if name == "video":
        os.environ["OPENBLAS_NUM_THREADS"] = "1"  # NumPy would start threads while it is loaded
        from engine.sandbox.video import rehearse_videos

        return lambda stream, own: rehearse_videos(stream, *own)
    from engine.sandbox.archive import read_archives, read_description

    if name == "description":
        return lambda stream, _: read_description(stream)
    return lambda stream, own: read_archives(stream, [_span(one) for one in own])


def _table_reader(
    name: str, tell: "Callable[[int, int], object]"
) -> "Callable[[IO[bytes], list[str]], Answer]":
    from engine.sandbox.answer import Refused

    if name == "spreadsheet":
        from engine.sandbox.spreadsheet import read_spreadsheet

        return lambda stream, own: read_spreadsheet(stream, own[0], own[1], tell)
    try:
        from engine.sandbox.parquet import read_parquet
    except ImportError:  # an extra
        return lambda _, own: Refused.because("D032", " ".join(own))

    return lambda stream, own: read_parquet(stream, own[0], own[1], tell)


def _span(text: str) -> tuple[int, int]:
    start, size = text.split("+")
    return int(start), int(size)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
