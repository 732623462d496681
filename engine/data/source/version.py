"""Version of a user's file, by which a source that was loaded from it is kept or read again."""

from pathlib import Path

FileVersion = tuple[int, int]


def file_version(path: Path | str) -> FileVersion:
    """Return size and time of the last change (ns) of a file; a constant where it is not there:
    its reader says so.
    """
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return -1, -1
    return status.st_size, status.st_mtime_ns
