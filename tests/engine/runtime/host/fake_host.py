"""A host without torch for the tests of the client: does what the first node's type says; who is to
wait does so until the file of the first argument is there.
"""

import os
import sys
import time
from pathlib import Path

import msgspec

from engine.diagnostics import Diagnostic
from engine.query.model.request import SourceText
from engine.query.questions import AnyQuestion
from engine.runtime.host.protocol import Envelope, Reply
from engine.runtime.job.stream import read_frame, write_frame
from engine.spec.progress import FileProgress


def main() -> None:
    marker = Path(sys.argv[1])
    while (frame := read_frame(sys.stdin.buffer)) is not None:
        envelope = msgspec.msgpack.decode(frame, type=Envelope[AnyQuestion])
        graph = getattr(envelope.request, "graph", None)
        node = next(iter(graph.nodes.values())) if graph and graph.nodes else None
        word = node.type if node else ""
        if word == "die" or (word == "die once" and not marker.exists()):
            marker.touch()
            sys.stderr.write("last words\n")
            sys.stderr.flush()
            os._exit(3)
        if word == "garbage":
            sys.stdout.buffer.write(b"\xff" * 64)
            sys.stdout.buffer.flush()
            continue
        if word == "wait":
            while not marker.exists():
                time.sleep(0.01)
        if word == "read":
            reply = _reading(envelope)
        elif word == "refuse":
            reply = Reply(number=envelope.number, problems=(Diagnostic(code="G001", node="n"),))
        elif word == "nonsense":
            reply = Reply(number=envelope.number, answer=b"\xc1")
        else:
            answer = SourceText(text=f"{type(envelope.request).__name__} {node and node.name}")
            reply = Reply(number=envelope.number, answer=msgspec.msgpack.encode(answer))
        write_frame(sys.stdout.buffer, msgspec.msgpack.encode(reply))


def _reading(envelope: Envelope) -> Reply:
    """Tell how far it is, and wait until it is given up."""
    progress = FileProgress(path="folder", done=7, unit="files")
    told = Reply(number=envelope.number, progress=progress)
    write_frame(sys.stdout.buffer, msgspec.msgpack.encode(told))
    frame = read_frame(sys.stdin.buffer)
    given_up = msgspec.msgpack.decode(frame or b"", type=Envelope[AnyQuestion])
    is_it = given_up.request is None and given_up.number == envelope.number
    return Reply(number=envelope.number, problems=(Diagnostic(code="D073" if is_it else "G001"),))


if __name__ == "__main__":
    main()
