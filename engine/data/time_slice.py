"""Time slice of long work, which goes on from question to question: whoever waits can leave it."""

import time
from collections.abc import Iterator
from typing import TypeVar

Step = TypeVar("Step")


def time_slice(steps: Iterator[Step], seconds: float) -> Iterator[Step]:
    """Yield the next steps, one at least, until about so many seconds have passed; those after them
    are the next slice's. Raises what they raise.
    """
    end = time.monotonic() + seconds
    for step in steps:
        yield step
        if time.monotonic() >= end:
            return
