"""Output of printing code, kept up to a length, so that a loop that prints harms nobody."""

import io
from collections.abc import Callable

from typing_extensions import override

from engine.query.lab.request import LineOutput

_MOST = 20_000  # characters in one run


def sendable(text: str) -> str:
    """Return a text with halves of characters, which nobody can encode, replaced."""
    return text.encode(errors="replace").decode()


class Printed(io.TextIOBase):
    """Stands in for ``sys.stdout`` and ``sys.stderr``; ``line`` says which statement is at work."""

    def __init__(self, line: Callable[[], int]) -> None:
        super().__init__()
        self._line = line
        self._texts: dict[int, list[str]] = {}
        self._room = _MOST
        self.lost = 0

    @override
    def writable(self) -> bool:
        return True

    @override
    def write(self, text: str, /) -> int:
        kept = sendable(text[: self._room])
        self._room -= len(kept)
        self.lost += len(text) - len(kept)
        if kept:
            self._texts.setdefault(self._line(), []).append(kept)
        return len(text)

    def outputs(self) -> list[LineOutput]:
        """Return what was kept of it, by the line of the statement that printed it."""
        return [
            LineOutput(line=line, text="".join(texts).rstrip("\n"), is_printed=True)
            for line, texts in self._texts.items()
        ]
