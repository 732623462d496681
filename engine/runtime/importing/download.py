"""Trained weights from the network, by PyTorch's own downloader, checked before they are used.

What was downloaded before, by this program or by torchvision, is taken from PyTorch's cache.
"""

import contextlib
import http.client
import socket
import urllib.error
import urllib.parse
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

import torch

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.files import FileWriteError, copy_file, describe_os_error, sha256
from engine.runtime.importing.request import Download

_SILENCE_S = 30.0  # without a byte: the other side is gone

Tell = Callable[[int, int], None]
"""Called with the bytes that came and all that are to come (0: not known)."""


class _Bar:
    """Stands in the place of the bar that the downloader draws, and counts."""

    def __init__(self, tell: Tell, total: int | None) -> None:
        self._tell = tell
        self.total = total or 0
        self.done = 0

    def __enter__(self) -> Self:
        self._tell(0, self.total)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave the last count as it is."""

    def update(self, count: int) -> None:
        """Count bytes that came."""
        self.done += count
        self._tell(self.done, self.total)


def fetch(wanted: Download, folder: Path, tell: Tell) -> Path:
    """Return the file, from the cache or downloaded into ``folder`` and then put into the cache.

    Raises :class:`DiagnosticError`: I040 no way there, I041 not there, I042 cut off, I043 another
    checksum, I046 silence, or the file findings.
    """
    name = wanted.url.rpartition("/")[2]
    cached = Path(torch.hub.get_dir()) / "checkpoints" / name
    if cached.is_file() and sha256(cached).startswith(wanted.digest):
        return cached
    file = folder / name
    _download(wanted, file, tell)
    with contextlib.suppress(FileWriteError):  # only saves a download next time
        copy_file(file, cached)
    return file


def _download(wanted: Download, file: Path, tell: Tell) -> None:
    bars: list[_Bar] = []

    def bar(total: int | None = None, **_options: object) -> _Bar:
        bars.append(_Bar(tell, total))
        return bars[-1]

    socket.setdefaulttimeout(_SILENCE_S)
    torch.hub.__dict__["tqdm"] = bar  # the downloader offers no other way to tell how far it is
    try:
        torch.hub.download_url_to_file(wanted.url, str(file), wanted.digest, progress=True)
    except Exception as error:  # a network fails in many ways
        raise DiagnosticError(_problem(error, wanted.url, file, bars)) from error


def _problem(error: Exception, url: str, file: Path, bars: list[_Bar]) -> Diagnostic:
    host = urllib.parse.urlsplit(url).hostname or url
    params: dict[str, str | int | float] = {"file": file.name, "host": host}
    done, total = (bars[-1].done, bars[-1].total) if bars else (0, 0)
    match error:
        case urllib.error.HTTPError():
            error.close()
            code, params["status"] = "I041", error.code
        case urllib.error.URLError():
            code = "I040"
        case TimeoutError():
            code = "I046"
        case RuntimeError() | ConnectionError() | http.client.HTTPException() if done < total:
            code = "I042"
            params |= {"done": f"{done / 1e6:.1f}", "total": f"{total / 1e6:.1f}"}
        case RuntimeError():
            code = "I043"
        case OSError() if not isinstance(error, ConnectionError):
            return describe_os_error(error, file, "write")
        case _:
            code = "I040"
    return Diagnostic(code=code, params=params, detail=f"{type(error).__name__}: {error}")
