"""List of pictures that turned out to be damaged, kept in the cache for all processes of a run.

Workers read the pictures, and what they find is told by the source in another process: each damaged
file is a line that is appended to a file. A picture that was changed since is not counted any more.
"""

import contextlib
import os
from pathlib import Path

import msgspec

from engine.data.source.image_walk import Names, names_of
from engine.decoding import decode_json
from engine.files import UNDECODABLE, open_append, read_file

_MOST_BYTES = 1 << 20


class _Line(msgspec.Struct, frozen=True, array_like=True):
    name: str
    size: int
    time: int


class DamagedFiles:
    """Damaged pictures below a folder; ``file`` is where they are written down, if anywhere."""

    def __init__(self, root: Path, file: Path | None) -> None:
        self._root = root
        self._file = file
        self._lines: dict[str, _Line] = {}

    def add(self, name: str) -> None:
        """Write down the picture at a path below the folder."""
        if name in self._lines:
            return
        with contextlib.suppress(OSError, ValueError):  # the list is a service, the run goes on
            status = (self._root / name).stat()
            line = _Line(name, status.st_size, status.st_mtime_ns)
            self._lines[name] = line
            if self._file is None or name in self._read():
                return
            descriptor = open_append(self._file, 0o600)
            try:
                if os.fstat(descriptor).st_size < _MOST_BYTES:
                    os.write(descriptor, msgspec.json.encode(line) + b"\n")
            finally:
                os.close(descriptor)

    def names(self) -> Names:
        """Return those that are still as they were when they could not be read, in short."""
        return names_of(self.current())

    def current(self) -> list[str]:
        """Return those that are still as they were when they could not be read, in order."""
        found: list[str] = []
        for name, line in sorted((self._read() | self._lines).items()):
            with contextlib.suppress(OSError, ValueError):
                status = (self._root / name).stat()
                if (status.st_size, status.st_mtime_ns) == (line.size, line.time):
                    found.append(name)
        return found

    def _read(self) -> dict[str, _Line]:
        if self._file is None:
            return {}
        try:
            content = read_file(self._file, 2 * _MOST_BYTES, follow=False)
        except OSError:
            return {}
        lines: dict[str, _Line] = {}
        for text in content.splitlines():
            with contextlib.suppress(*UNDECODABLE):  # a line that was cut off
                line = decode_json(text, _Line)
                lines[line.name] = line
        return lines
