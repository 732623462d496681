"""Command line of this process, as ``ps`` and ``/proc`` show it."""

import ctypes
from collections.abc import Sequence
from pathlib import Path

ROOM = " " * 1000
"""An argument that leaves room for the command lines of what is forked from a process."""

_START, _END = 45, 46  # of the fields behind the name


def show_command(command: Sequence[str]) -> None:
    """Show another command line than the one this process was started with (Linux); what there is
    no room for is left out.
    """
    fields = Path("/proc/self/stat").read_text(encoding="utf-8", errors="replace")
    numbers = fields.rpartition(")")[2].split()
    start, end = int(numbers[_START]), int(numbers[_END])
    words = b"\0".join(word.encode(errors="surrogateescape") for word in command)
    size = end - start
    ctypes.memmove(start, words[: size - 1].ljust(size, b"\0"), size)
