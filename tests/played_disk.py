"""Disk that answers as a test wants: who runs the tests may read and write everything."""

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pytest

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


class DiskCall(NamedTuple):
    """A file that is opened with ``flags``, a folder that is listed, or a path whose status is
    asked for.
    """

    kind: Literal["open", "list", "status"]
    path: Path
    flags: int = os.O_RDONLY

    @property
    def writes(self) -> bool:
        """Whether something may be written."""
        return bool(self.flags & _WRITING)


@contextmanager
def played_disk(look: Callable[[DiskCall], object]) -> Generator[None]:
    """Let ``look`` see each call before the system does; an error that it raises is the answer."""
    real = {name: getattr(os, name) for name in ("open", "scandir", "listdir", "stat")}

    def see(kind: Literal["open", "list", "status"], path: Any, flags: int = 0) -> None:
        if isinstance(path, str | os.PathLike):
            look(DiskCall(kind, Path(os.fspath(path)), flags))

    def opened(path: Any, flags: int, *rest: Any, **named: Any) -> int:
        see("open", path, flags)
        return real["open"](path, flags, *rest, **named)

    def listed(name: str) -> Callable[..., Any]:
        def call(path: Any = ".") -> Any:
            see("list", path)
            return real[name](path)

        return call

    def asked(path: Any, *rest: Any, **named: Any) -> os.stat_result:
        see("status", path)
        return real["stat"](path, *rest, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "open", opened)
        patch.setattr(os, "scandir", listed("scandir"))
        patch.setattr(os, "listdir", listed("listdir"))
        patch.setattr(os, "stat", asked)
        yield


def refusal(number: int, path: Path) -> OSError:
    """Return an error as the system words it."""
    return OSError(number, os.strerror(number), str(path))
