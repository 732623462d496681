"""Having a file of a stranger read by a process that can harm nobody."""

import os
import subprocess
import sys
import tempfile
import threading
from enum import StrEnum
from pathlib import Path
from typing import IO

import msgspec

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.files import NoFileError, TooLargeError, describe_os_error, open_file
from engine.sandbox.answer import LONGEST, Answer, Picture, Refused

_CHILD = Path(__file__).with_name("child.py")
_LARGEST_FILE = 256 << 20
_PATIENCE_S = 60.0  # where the machine has other things to do
_INHERITED = ("PATH", "LD_LIBRARY_PATH", "SYSTEMROOT", "LANG", "LC_ALL")


class Reader(StrEnum):
    """What a confined process can read."""

    PICTURE = "picture"


def read_confined(
    reader: Reader, source: Path | bytes, *, patience_s: float = _PATIENCE_S
) -> Picture:
    """Have a file, or its content, read by a process that can write nowhere and knows nobody.

    It is given the open file, not its path, and nothing of the environment that is the user's.
    Raises :class:`DiagnosticError`: what the reader says, V008 where it ended or took longer than
    ``patience_s``, V004 for what is no file, P0xx where the system does not let it be read.
    """
    name = source.name if isinstance(source, Path) else "-"
    try:
        with _opened(source) as stream:
            content = _asked(reader, stream, patience_s)
    except (NoFileError, IsADirectoryError) as error:
        raise _refused("V004", name, str(error)) from error
    except TooLargeError as error:
        raise _refused("V007", name, str(error)) from error
    except OSError as error:
        place = source if isinstance(source, Path) else Path(name)
        raise DiagnosticError(describe_os_error(error, place)) from error
    try:
        answer = msgspec.msgpack.decode(content, type=Answer)
    except msgspec.DecodeError as error:
        raise _refused("V008", name, str(error)) from error
    if isinstance(answer, Refused):
        raise _refused(answer.code if answer.code in {"V004", "V007"} else "V004", name)
    if len(answer.pixels) != 4 * answer.width * answer.height:
        raise _refused("V008", name)
    return answer


def _opened(source: Path | bytes) -> IO[bytes]:
    if isinstance(source, Path):
        return open_file(source, _LARGEST_FILE)
    stream = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
    stream.write(source)
    stream.seek(0)
    return stream


def _asked(reader: Reader, stream: IO[bytes], patience_s: float) -> bytes:
    """Return what a process of its own answers; nothing of it is left."""
    process = subprocess.Popen(
        [sys.executable, "-I", str(_CHILD), reader.value],
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
            return process.stdout.read(LONGEST)
        finally:
            end.cancel()
            end.join()
            process.kill()  # it has answered, or says more than an answer has


def _refused(code: str, name: str, detail: str = "") -> DiagnosticError:
    return DiagnosticError(Diagnostic(code=code, params={"file": name}, detail=detail))
