"""Artefacts that a run writes at some of its steps: one file a step, each a frozen struct."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from engine.decoding import msgpack_decoder
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.files import (
    FileWriteError,
    TooLargeError,
    atomic_write,
    describe_os_error,
    read_file,
    remove_file,
    require_no_links,
)

_MAXIMUM_BYTES = 256 << 20
_STEP = re.compile(r"[0-9]{1,18}")
Content = TypeVar("Content", bound=msgspec.Struct)


def _any(_: object) -> None:
    """Find nothing wrong with what the types alone describe."""


class StepFiles(Generic[Content]):
    """The files of one kind; of more than ``kept`` the oldest goes. ``unreadable`` is the code of
    the finding about one that holds something else. ``check`` raises ``ValueError`` for what has
    the right types and still does not fit together: the file may be anybody's.
    """

    def __init__(
        self,
        content: type[Content],
        folder: str,
        *,
        ending: str,
        kept: int,
        unreadable: str,
        check: Callable[[Content], object] = _any,
    ) -> None:
        self._decoder = msgpack_decoder(content)
        self._folder = folder
        self._ending = ending
        self._kept = kept
        self._unreadable = unreadable
        self._check = check

    def write(self, artefacts: Path, step: int, content: Content) -> Path:
        """Write what belongs to a step and return the file.

        Raises :class:`engine.files.FileWriteError` when the disk does not take it, or the folder is
        a link, which may lead anywhere.
        """
        path = artefacts / self._folder / f"{step:09d}.{self._ending}"
        try:
            require_no_links(artefacts, (self._folder,))
        except DiagnosticError as error:
            raise FileWriteError(*error.problems) from error
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            atomic_write(path, msgspec.msgpack.encode(content))
        except OSError as error:
            raise FileWriteError(describe_os_error(error, path, "write")) from error
        for old in self.files(artefacts)[: -self._kept]:
            remove_file(old)
        return path

    def files(self, artefacts: Path) -> list[Path]:
        """Return the files of a run, the oldest step first."""
        found = sorted((artefacts / self._folder).glob(f"*.{self._ending}"))
        return [path for path in found if _STEP.fullmatch(path.stem)]

    def step(self, path: Path) -> int:
        """Return the step that a file of a run belongs to."""
        return int(path.stem)

    def read(self, path: Path) -> Content:
        """Return what a file holds. Raises :class:`DiagnosticError` where it cannot be read."""
        require_no_links(path.parents[1], (path.parent.name,))
        try:
            content = self._decoder.decode(read_file(path, _MAXIMUM_BYTES, follow=False))
            self._check(content)
        except TooLargeError as error:
            raise DiagnosticError(self._finding(path, "")) from error
        except OSError as error:
            raise DiagnosticError(describe_os_error(error, path, "read")) from error
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            raise DiagnosticError(self._finding(path, str(error))) from error
        return content

    def _finding(self, path: Path, detail: str) -> Diagnostic:
        return Diagnostic(code=self._unreadable, params={"file": path.name}, detail=detail)
