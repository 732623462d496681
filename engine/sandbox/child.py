"""The process that reads one file of a stranger: called with the name of a reader, the file is its
standard input, the answer its standard output. Nothing else is left to it.
"""

import os
import sys
from pathlib import Path

_MEMORY = 3 << 29
_SECONDS = 30


def main(arguments: list[str]) -> int:
    """Read, answer and return the exit code."""
    sys.path.insert(0, str(Path(__file__).parents[2]))  # an isolated Python has no other way

    import msgspec

    from engine.sandbox import confine

    if arguments != ["picture"]:
        return 2
    from engine.sandbox.picture import read_picture

    confine((), memory=_MEMORY, seconds=_SECONDS, file_size=0)
    with os.fdopen(0, "rb", closefd=False) as stream, os.fdopen(1, "wb", closefd=False) as answer:
        answer.write(msgspec.msgpack.encode(read_picture(stream)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
