"""A folder in one ZIP archive: the form of exports that are many files."""

import time
import zipfile
from collections.abc import Mapping
from pathlib import Path

from engine.files import WriteTarget, open_file

Contents = Mapping[str, str | bytes | Path]
"""What stands at each place of the folder: a text, bytes, or the content of a file."""

_MODE = 0o644  # of files that all may read


def write_archive(target: WriteTarget, folder: str, contents: Contents) -> None:
    """Write an archive of one folder."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:  # pyright: ignore[reportArgumentType, reportCallIssue] - it only writes
        for place, content in contents.items():
            if isinstance(content, Path):
                archive.write(content, f"{folder}/{place}")
                continue
            info = zipfile.ZipInfo(f"{folder}/{place}", time.localtime()[:6])
            info.external_attr = _MODE << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)


def content_bytes(content: str | bytes | Path) -> bytes:
    """Return what stands at a place of a folder."""
    if isinstance(content, Path):
        with open_file(content) as stream:
            return stream.read()
    return content.encode() if isinstance(content, str) else content
