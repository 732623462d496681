"""Folders of the cache: what can be made again at any time, for this user alone."""

import contextlib
from pathlib import Path

from engine.files import private_folder, remove_file


def cache_folder(name: str) -> Path | None:
    """Return a folder of the user's cache; None where there is none and none can be made."""
    try:
        import platformdirs  # not there on the machines that runs are sent to

        folder = Path(platformdirs.user_cache_dir("trellis", appauthor=False)) / name
        private_folder(folder)
    except (ImportError, OSError):
        return None
    return folder


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
