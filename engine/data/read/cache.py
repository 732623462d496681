"""Folders of the cache: what can be made again at any time, for this user alone."""

import contextlib
from collections.abc import Callable
from pathlib import Path

from engine.files import FileWriteError, WriteTarget, atomic_write, private_folder, remove_file


def cache_folder(name: str) -> Path | None:
    """Return a folder of the user's cache; None where there is none and none can be made."""
    try:
        import platformdirs  # not there on the machines that runs are sent to

        folder = Path(platformdirs.user_cache_dir("trellis", appauthor=False)) / name
        private_folder(folder)
    except (ImportError, OSError):
        return None
    return folder


def write_cached(file: Path, content: bytes | Callable[[WriteTarget], None], limit: int) -> bool:
    """Write a file of the cache for this user alone, and :func:`prune` its folder. Return whether
    it is written: a full disk costs the time to make it again, nothing else.
    """
    try:
        atomic_write(file, content, private=True)
        prune(file.parent, limit)
    except (FileWriteError, OSError):
        return False
    return True


def prune(folder: Path, limit: int) -> None:
    """Remove the files of a folder that were changed longest ago, until the others take at most
    ``limit`` bytes. One that another process removes meanwhile is gone already.
    """
    files: list[tuple[int, int, Path]] = []
    for path in folder.iterdir():
        with contextlib.suppress(OSError):
            status = path.stat()
            files.append((status.st_mtime_ns, status.st_size, path))
    total = sum(size for _, size, _ in files)
    for _, size, path in sorted(files):
        if total <= limit:
            return
        remove_file(path)
        total -= size
