"""Download of a set of torchvision into a folder, by the lists of torchvision's own class."""

import sys
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from engine.data.fetch.fetch import fetch
from engine.data.fetch.progress import Tell
from engine.data.fetch.unpack import unpack
from engine.data.source.vision.array_set import ARRAY_SETS, read_portions, vision_class
from engine.data.source.vision.by_hand import BY_HAND
from engine.data.source.vision.exchange import exchanged
from engine.data.source.vision.pairs import PAIRS, pair_source
from engine.data.source.vision.picture_set import PICTURE_SETS, opened, picture_index
from engine.diagnostics import DiagnosticError


def download_set(name: str, root: Path, variant: str, tell: Tell) -> None:
    """Download a set that is not in a folder yet, and unpack it where torchvision looks for it.

    Raises :class:`DiagnosticError` as :func:`engine.data.fetch.fetch.fetch` and
    :func:`engine.data.fetch.unpack.unpack` do; D580 for one that the user has to fetch.
    """
    if name in BY_HAND:
        _look(name, root, variant)
        return
    if name in ARRAY_SETS:
        _download_arrays(name, root, variant, tell)
        return
    with _own_functions(vision_class(name), tell):
        for _, arguments in PICTURE_SETS[name].arguments(variant):
            opened(name, root, arguments, downloads=True)


def _look(name: str, root: Path, variant: str) -> None:
    """Look at a set that nobody but the user can fetch. Raises as its reader does."""
    if name in ARRAY_SETS:
        read_portions(name, root, variant)
    elif name == PAIRS:
        pair_source(root, variant, {"size": 1})
    else:
        picture_index(name, root, variant)


def _download_arrays(name: str, root: Path, variant: str, tell: Tell) -> None:
    try:
        read_portions(name, root, variant)
    except DiagnosticError:
        pass
    else:
        return
    for resource in ARRAY_SETS[name].resources(vision_class(name), variant):
        folder = root / resource.folder
        file = folder / resource.file
        fetch(resource.urls, file, resource.md5, tell)
        if resource.is_archive:
            unpack(file, folder, tell)


def _own_functions(cls: Any, tell: Tell) -> AbstractContextManager[None]:
    """Have a class of torchvision download by this program: its own way has no limits, cannot be
    followed, and leaves half a file when it is interrupted.
    """

    def download_url(
        url: str, root: str | Path, filename: str | None = None, md5: str | None = None, **_: object
    ) -> None:
        fetch((url,), Path(root) / (filename or url.rpartition("/")[2]), md5, tell)

    def extract_archive(
        from_path: str | Path, to_path: str | Path | None = None, **_: object
    ) -> None:
        unpack(Path(from_path), Path(to_path or Path(from_path).parent), tell)

    def download_and_extract_archive(
        url: str,
        download_root: str | Path,
        extract_root: str | Path | None = None,
        filename: str | None = None,
        md5: str | None = None,
        **_: object,
    ) -> None:
        name = filename or url.rpartition("/")[2]
        download_url(url, download_root, name, md5)
        extract_archive(Path(download_root) / name, extract_root or download_root)

    own = (download_url, extract_archive, download_and_extract_archive)
    module = sys.modules[cls.__module__]
    return exchanged(module, {function.__name__: function for function in own})
