"""Fetching of a file: it stands at its place when it is whole and has the checksum that was
published. What an interrupted download brought is kept beside it, and the next one goes on there.
"""

import hashlib
import http.client
import os
import shutil
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from engine.data.fetch.progress import Tell
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.files import describe_os_error, open_append, open_file, remove_file

PART = ".part"
"""What the name of a file that is not whole yet ends in."""

_SILENCE_S = 30.0  # without a byte: the other side is gone
_PIECE = 1 << 18
_LARGEST = 1 << 37  # of a file whose size nobody tells
_PARTIAL, _UNSATISFIABLE = 206, 416
_AGENT = "pytorch/vision"  # some servers answer nobody without a name
_FIELD = "data.source.path"


class _CutOffError(Exception):
    """The other side stopped before the end: so many bytes came, of so many."""

    def __init__(self, done: int, total: int) -> None:
        super().__init__(f"{done} of {total} bytes")
        self.done = done
        self.total = total


class _OtherChecksumError(Exception):
    """The file that came is another than the one that was published."""


def fetch(urls: Sequence[str], file: Path, md5: str | None, tell: Tell) -> None:
    """Download a file from the first of some addresses that has it; nothing where it is there.

    Raises :class:`DiagnosticError`: D246 no way there, D247 not there, D248 cut off or silent, D249
    another checksum, D251 no room for it, or the file findings.
    """
    if has_checksum(file, md5):
        return
    problem: DiagnosticError | None = None
    for url in urls:
        try:
            _fetch(url, file, md5, tell)
        except DiagnosticError as error:
            problem = error
        else:
            return
    assert problem is not None, "there is an address"
    raise problem


def has_checksum(file: Path, md5: str | None) -> bool:
    """Return whether a file is there, and is the one with that checksum, where one is known.

    The checksums are MD5, since torchvision has no others: they tell damage, not malice, which is
    why what was downloaded is read as a stranger's.
    """
    try:
        with open_file(file) as stream:
            digest = "" if md5 is None else _md5_of(stream)
    except OSError:
        return False
    return md5 is None or digest == md5


def _md5_of(stream: IO[bytes]) -> str:
    digest = hashlib.md5(usedforsecurity=False)
    while piece := stream.read(_PIECE):
        digest.update(piece)
    return digest.hexdigest()


def _fetch(url: str, file: Path, md5: str | None, tell: Tell) -> None:
    part = file.with_name(file.name + PART)
    try:
        has_begun = part.is_file()
        try:
            _complete(url, file.name, part, md5, tell)
        except _OtherChecksumError:
            if not has_begun:
                raise
            _complete(url, file.name, part, md5, tell)  # what was kept was of another file
        part.replace(file)
    except DiagnosticError:
        raise
    except Exception as error:  # a network fails in many ways
        raise DiagnosticError(_problem(error, url, part)) from error


def _complete(url: str, name: str, part: Path, md5: str | None, tell: Tell) -> None:
    """Download the rest of a file, or all of it, and look whether it is the right one; one that is
    not is removed.
    """
    start = part.stat().st_size if part.exists() else 0
    headers = {"User-Agent": _AGENT} | ({"Range": f"bytes={start}-"} if start else {})
    if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
        raise urllib.error.URLError(f"an address that is not of the web: {url[:200]}")
    request = urllib.request.Request(url, headers=headers)  # noqa: S310 - looked at above
    try:
        with urllib.request.urlopen(request, timeout=_SILENCE_S) as reply:  # noqa: S310 - above
            if start and reply.status != _PARTIAL:
                remove_file(part)
                start = 0
            _receive(reply, name, part, start, tell)
    except urllib.error.HTTPError as error:
        if not (start and error.code == _UNSATISFIABLE):
            raise
        error.close()  # nothing is left to come
    if not has_checksum(part, md5):
        remove_file(part)
        raise _OtherChecksumError


def _receive(
    reply: http.client.HTTPResponse, name: str, part: Path, start: int, tell: Tell
) -> None:
    rest = reply.length or 0
    total = start + rest if rest else 0
    part.parent.mkdir(parents=True, exist_ok=True)
    if rest > shutil.disk_usage(part.parent).free or total > _LARGEST:
        raise DiagnosticError.of(
            "D251", field=_FIELD, file=name, size=f"{total / 1e6:,.1f}", folder=str(part.parent)
        )
    done = start
    descriptor = open_append(part)
    with os.fdopen(descriptor, "ab") as target:
        tell("download", name, done, total)
        while piece := reply.read(_PIECE):
            done += len(piece)
            if done > (total or _LARGEST):
                raise _CutOffError(done, total)
            target.write(piece)
            tell("download", name, done, total)
    if done < total:
        raise _CutOffError(done, total)


def _problem(error: Exception, url: str, part: Path) -> Diagnostic:
    file, host = part.name.removesuffix(PART), urllib.parse.urlsplit(url).hostname or url[:100]
    params: dict[str, str | int | float] = {
        "file": file,
        "host": host,
        "folder": str(part.parent),
    }
    match error:
        case urllib.error.HTTPError():
            error.close()
            code, params["status"] = "D247", error.code
        case _OtherChecksumError():
            code = "D249"
        case _CutOffError() | TimeoutError() | ConnectionError() | http.client.HTTPException():
            code = "D248"
            params["done"] = f"{part.stat().st_size / 1e6:.1f}" if part.exists() else "0"
        case urllib.error.URLError():
            code = "D246"
        case OSError():
            return describe_os_error(error, part, "write")
        case _:
            code = "D246"
    detail = f"{type(error).__name__}: {error}"
    return Diagnostic(code=code, field=_FIELD, params=params, detail=detail)
