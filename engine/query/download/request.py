"""Request to the process that downloads a data set, and what it tells."""

from typing import Literal

import msgspec

from engine.diagnostics import Diagnostic
from engine.spec.run import Choice


class DownloadData(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Download the data set of a source into the folder that it names; nothing where it is there
    already.
    """

    source: Choice


class DownloadProgress(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A file is being downloaded or unpacked: ``done`` of ``total`` bytes (0: not known)."""

    stage: Literal["download", "unpack"]
    file: str
    done: int
    total: int


class DownloadDone(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The data set is there."""


class DownloadFailed(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Why it is not; what was downloaded is kept."""

    problems: tuple[Diagnostic, ...]


DownloadMessage = DownloadProgress | DownloadDone | DownloadFailed
