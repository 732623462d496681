"""The process of the autograd lab: what is typed there runs here and nowhere else.

Commands come in frames on the standard input, answers go out on the standard output; before each
statement its line goes out, so that it is known where a process was that does not come back. The
process ends when its input does, whatever it is computing.
"""

import contextlib
import faulthandler
import os
import queue
import sys
import threading
from collections.abc import Generator
from typing import IO

import msgspec

from engine.decoding import decode_msgpack
from engine.files import UNDECODABLE
from engine.query.lab.request import LabCommand, LabLine, LabMessage
from engine.runtime.job.stream import FrameError, protocol_streams, read_frame, write_frame

MEMORY_BYTES = 2 << 30
"""What code may use beyond what PyTorch itself needs."""

_NICENESS = 10


def main() -> None:
    """Answer commands until the input ends."""
    faulthandler.enable()
    requests, replies = protocol_streams()
    commands: queue.SimpleQueue[LabCommand] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(requests, commands), daemon=True).start()

    def say(message: LabMessage) -> None:
        write_frame(replies, msgspec.msgpack.encode(message))

    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # NumPy's: on a busy machine they wait for each other
    import torch

    from engine.query.lab.session import LabSession

    torch.set_num_threads(1)
    torch.set_warn_always(True)  # code that is run again is to be warned again
    _limit()
    session = LabSession(lambda line: say(LabLine(line)))
    while True:
        command = commands.get()
        say(LabLine(0))
        say(session.answer(command))
        if commands.empty():
            _load_the_rest()


def _read(requests: IO[bytes], commands: "queue.SimpleQueue[LabCommand]") -> None:
    try:
        while (frame := read_frame(requests)) is not None:
            commands.put(decode_msgpack(frame, LabCommand))
    except (FrameError, *UNDECODABLE) as error:
        print(error, file=sys.stderr)  # noqa: T201  # the last words
    sys.stderr.flush()
    os._exit(0)  # nobody waits any more


def _load_the_rest() -> None:
    """Load, while nobody waits, what the first backward with a gradient of its own would load.

    There is room for it also where code has used all that it may.
    """
    with _without_limit():
        import torch.fx.experimental.symbolic_shapes  # noqa: F401  # pyright: ignore[reportUnusedImport]


def _limit() -> None:
    """Leave the machine to others, as far as the system can be told."""
    if sys.platform != "win32":
        os.nice(_NICENESS)
    if sys.platform == "linux":
        import resource

        import psutil

        limit = psutil.Process().memory_info().vms + MEMORY_BYTES
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (limit, most))


@contextlib.contextmanager
def _without_limit() -> Generator[None]:
    if sys.platform != "linux":
        yield
        return
    import resource

    limit, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (limit, most))


if __name__ == "__main__":
    main()
