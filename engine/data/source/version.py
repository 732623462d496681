"""Version of a user's file, by which a source that was loaded from it is kept or read again."""

from pathlib import Path

from engine.data.read.enclosed import status_of

FileVersion = tuple[int, int]


def file_version(path: Path | str) -> FileVersion:
    """Return size and time of the last change (ns) of a file, of one inside another those of that;
    a constant where it is not there: its reader says so.
    """
    try:
        status = status_of(Path(path))
    except (OSError, ValueError):
        return -1, -1
    return status.st_size, status.st_mtime_ns
