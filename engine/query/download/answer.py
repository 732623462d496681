"""Download of a data set, told as it goes on."""

import time
from collections.abc import Callable

from engine.data.fetch.progress import FetchStage
from engine.data.source.registry import source_params
from engine.data.source.vision.download import download_set
from engine.data.source.vision.loader import vision_loaders, vision_place
from engine.query.download.request import DownloadData, DownloadMessage, DownloadProgress

_QUIET_S = 0.1  # between two words about the same file


def download_data(request: DownloadData, tell: Callable[[DownloadMessage], object]) -> None:
    """Download the data set of a source and say how far it is, ten times a second at most.

    Raises :class:`DiagnosticError`: D255 without a folder, and what
    :func:`engine.data.source.vision.download.download_set` does.
    """
    name = request.source.type
    if name not in vision_loaders():
        return  # it is the user's own, or comes with the program
    params = source_params(request.source)
    told: tuple[str, str] = ("", "")
    told_at = 0.0

    def hear(stage: FetchStage, file: str, done: int, total: int) -> None:
        nonlocal told, told_at
        now = time.monotonic()
        if (stage, file) == told and done != total and now - told_at < _QUIET_S:
            return
        told, told_at = (stage, file), now
        tell(DownloadProgress(stage=stage, file=file, done=done, total=total))

    download_set(name, *vision_place(params), hear)
