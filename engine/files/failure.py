"""Diagnostics of file operations that the operating system refused."""

import errno
from pathlib import Path
from typing import Literal

from engine.diagnostics import Diagnostic
from engine.files.read import NoFileError, TooLargeError

Task = Literal["write", "read", "remove", "move"]
"""What was to be done to a file. A folder that is made is written, too."""

_FALLBACKS: dict[Task, str] = {"write": "P001", "read": "P035", "remove": "P039", "move": "P041"}
_REASONS: dict[Task, dict[int, str]] = {
    "write": {
        errno.ENOSPC: "P002",
        errno.EDQUOT: "P002",
        errno.EFBIG: "P002",
        errno.EACCES: "P003",
        errno.EPERM: "P003",
        errno.EROFS: "P003",
        errno.ENOENT: "P004",
        errno.ENOTDIR: "P004",
        errno.ENAMETOOLONG: "P005",
        errno.EISDIR: "P006",
    },
    "read": {
        errno.EACCES: "P036",
        errno.EPERM: "P036",
        errno.ENOENT: "P037",
        errno.ENOTDIR: "P037",
        errno.ENAMETOOLONG: "P005",
        errno.EISDIR: "P038",
    },
    "remove": {errno.EACCES: "P040", errno.EPERM: "P040", errno.EROFS: "P040"},
    "move": {errno.EACCES: "P042", errno.EPERM: "P042", errno.EROFS: "P042"},
}


def describe_os_error(error: OSError, path: Path, task: Task) -> Diagnostic:
    """Return the finding for what could not be done to a file, with the folder and the system's
    reason.
    """
    params: dict[str, str | int | float] = {"file": path.name, "folder": str(path.parent)}
    if isinstance(error, TooLargeError):
        return Diagnostic(code="P032", params=params | {"limit": error.limit >> 20})
    if isinstance(error, NoFileError):
        return Diagnostic(code="P007" if task == "write" else "P033", params=params)
    code = _REASONS[task].get(error.errno or 0, _FALLBACKS[task])
    return Diagnostic(code=code, params=params, detail=str(error))
