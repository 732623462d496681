"""Standard input and output of a process that speaks frames with the one that started it."""

import os
import sys
from typing import IO


def own_streams() -> tuple[IO[bytes], IO[bytes]]:
    """Take standard input and output away from everybody else in this process.

    What others print goes to the standard error from then on, and they have nothing to read.
    """
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return requests, replies
