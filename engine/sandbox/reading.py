"""Client of confined readers: a file of a stranger is read in a process of its own."""

import json
import os
import site
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import cache
from importlib.machinery import PathFinder
from io import BufferedReader
from pathlib import Path
from typing import IO, cast

from engine.decoding import msgpack_decoder
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.files import UNDECODABLE, NoFileError, TooLargeError, describe_os_error, open_file
from engine.sandbox.answer import (
    COUNT,
    COUNT_MARK,
    LONGEST_CELLS,
    LONGEST_PICTURE,
    LONGEST_TABLE,
    Answer,
    Picture,
    Refused,
)

_CHILD = Path(__file__).with_name("child.py")
_PROGRAM = Path(__file__).parents[2]
_LARGEST_PICTURE = 256 << 20
TIMEOUT_S = 60.0  # where the machine has other things to do
_LOOK_S = 0.1
_DECODER = msgpack_decoder(Answer)
_CHUNK = 1 << 20
_PACKAGES = (
    "msgspec", "typing_extensions", "PIL", "numpy", "pyarrow", "python_calamine", "tokenizers",
    "torch", "torchcodec",
)  # fmt: skip
_INHERITED = ("PATH", "LD_LIBRARY_PATH", "SYSTEMROOT", "LANG", "LC_ALL")


class Reader(StrEnum):
    """What a confined process can read."""

    PICTURE = "picture"
    ARCHIVES = "archives"
    DESCRIPTION = "description"
    SPREADSHEET = "spreadsheet"
    PARQUET = "parquet"
    TOKENIZER = "tokenizer"
    VIDEO = "video"


_LONGEST = {
    Reader.PICTURE: LONGEST_PICTURE,
    Reader.SPREADSHEET: LONGEST_CELLS,
    Reader.PARQUET: LONGEST_CELLS,
}


Tell = Callable[[int, int], object]


class NoAnswerError(ValueError):
    """The process that reads ended, took too long, or said what is no answer."""


def ask(
    reader: Reader,
    stream: IO[bytes],
    *arguments: str,
    others: Sequence[IO[bytes]] = (),
    patience_s: float = TIMEOUT_S,
    tell: Tell | None = None,
) -> Answer:
    """Have an open file read by a process that can write nowhere and has no network, and return
    what it says. ``arguments`` are what its reader has to know; the process gets nothing of the
    environment of the user. ``others`` are open files that it is given besides (POSIX only); their
    descriptors follow the arguments. ``tell`` hears now and then how many rows are read of how
    many (0: not known yet); what it raises ends the process, and is raised.

    Raises :class:`NoAnswerError` where it ends or takes longer than ``patience_s``, and
    ``OSError``.
    """
    longest = _LONGEST.get(reader, LONGEST_TABLE)
    handed = [other.fileno() for other in others]
    words = [*arguments, *map(str, handed)]
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", str(_CHILD), package_folders(), reader.value, *words],
        pass_fds=handed,
        stdin=stream,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={key: os.environ[key] for key in _INHERITED if key in os.environ},
    )
    end = threading.Timer(patience_s, process.kill)
    end.start()
    with process:
        assert process.stdout is not None
        try:
            content = _Reply(process.stdout, longest).content(process, tell)
        finally:
            end.cancel()
            end.join()
            process.kill()  # it has answered, or says more than an answer has
    try:
        return _DECODER.decode(content)
    except UNDECODABLE as error:
        raise NoAnswerError(str(error)) from error


def read_picture(source: Path | bytes, *, patience_s: float = TIMEOUT_S) -> Picture:
    """Return the picture in a file, or in the content of one, decoded by a confined process.

    Raises :class:`DiagnosticError`: V004 for what is no picture, V007 for one that is too large,
    V008 where there is no answer, P0xx where the system does not let it be read.
    """
    name = source.name if isinstance(source, Path) else "-"
    try:
        with _opened(source) as stream:
            answer = ask(Reader.PICTURE, stream, patience_s=patience_s)
    except (NoFileError, IsADirectoryError) as error:
        raise _refused("V004", name, str(error)) from error
    except TooLargeError as error:
        raise _refused("V007", name, str(error)) from error
    except OSError as error:
        place = source if isinstance(source, Path) else Path(name)
        raise DiagnosticError(describe_os_error(error, place, "read")) from error
    except NoAnswerError as error:
        raise _refused("V008", name, str(error)) from error
    if isinstance(answer, Refused):
        raise _refused(answer.code if answer.code in {"V004", "V007"} else "V004", name)
    if not isinstance(answer, Picture) or len(answer.pixels) != 4 * answer.width * answer.height:
        raise _refused("V008", name)
    return answer


class _Reply:
    """What a process says, as it comes: room for ``most`` bytes would be made at once. The counts
    of rows before the answer are taken out of it.
    """

    def __init__(self, stream: IO[bytes], most: int) -> None:
        self._stream = cast("BufferedReader", stream)
        self._most = most
        self._content = bytearray()
        self._rows = (0, 0)

    def content(self, process: "subprocess.Popen[bytes]", tell: Tell | None) -> bytes:
        """Return the answer."""
        if tell is None:
            self._read()
            return bytes(self._content)
        thread = threading.Thread(target=self._read, name="reply", daemon=True)
        thread.start()
        try:
            while thread.is_alive():
                thread.join(_LOOK_S)
                tell(*self._rows)
        finally:
            process.kill()  # somebody has given it up, or it has answered
            thread.join()
        return bytes(self._content)

    def _read(self) -> None:
        while len(self._content) < self._most:
            more = self._stream.read1(min(_CHUNK, self._most - len(self._content)))
            if not more:
                break
            self._content += more
            while self._content.startswith(COUNT_MARK) and len(self._content) >= COUNT.size:
                _, done, total = COUNT.unpack_from(self._content)
                self._rows = done, total
                del self._content[: COUNT.size]


@cache
def package_folders() -> str:
    """Return, as JSON, the folders in which the reading process finds the program and the packages
    that it needs, for it looks for nothing on its own, and what it reads there: those packages and
    nothing that lies beside them. They are those that are installed: what a folder of somebody
    else has by the same name, in PYTHONPATH or where the program was started, is none of them.
    """
    installed = [
        *site.getsitepackages(),
        *([site.getusersitepackages()] if site.ENABLE_USER_SITE else []),
    ]
    folders, packages = [_PROGRAM], list[Path]()
    for package in _PACKAGES:
        found = PathFinder.find_spec(package, installed)
        if found is not None and found.origin is not None:
            origin = Path(found.origin)
            packages.append(origin.parent if origin.name == "__init__.py" else origin)
            folders.append(packages[-1].parent)
    return json.dumps([list(dict.fromkeys(map(str, folders))), list(map(str, packages))])


def _opened(source: Path | bytes) -> IO[bytes]:
    if isinstance(source, Path):
        return open_file(source, _LARGEST_PICTURE)
    stream = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
    try:
        stream.write(source)
        stream.seek(0)
    except BaseException:  # a full disk
        stream.close()
        raise
    return stream


def _refused(code: str, name: str, detail: str = "") -> DiagnosticError:
    return DiagnosticError(Diagnostic(code=code, params={"file": name}, detail=detail))
