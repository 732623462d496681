"""Threads decode into a type at the same time, also into one that none has decoded before."""

import subprocess
import sys
import threading
from pathlib import Path
from typing import Literal

import msgspec
import pytest

from engine.decoding import convert, decode_json, decode_msgpack, json_decoder, msgpack_decoder

THREADS, KINDS, FIELDS = 4, 60, 30


def decode_new_kinds() -> None:
    """Decode into types that are new, each by several threads at once."""
    sys.setswitchinterval(1e-6)
    plain = {f"f{index}": f"a{index}" for index in range(FIELDS)}
    text, packed = msgspec.json.encode(plain), msgspec.msgpack.encode(plain)
    ways = (
        lambda kind: decode_json(text, kind),
        lambda kind: decode_msgpack(packed, kind),
        lambda kind: convert(plain, kind),
        lambda kind: json_decoder(kind).decode(text),
        lambda kind: msgpack_decoder(kind).decode(packed),
    )
    for number in range(KINDS):
        fields = [(f"f{n}", Literal[f"a{n}", f"b{number}"] | None, None) for n in range(FIELDS)]
        kind = msgspec.defstruct(f"Kind{number}", fields)
        together = threading.Barrier(THREADS)
        found = []

        def decode(way, kind=kind, together=together, found=found):
            together.wait()
            found.append(msgspec.to_builtins(way(kind)))

        chosen = [ways[(number + at) % len(ways)] for at in range(THREADS)]
        threads = [threading.Thread(target=decode, args=(way,)) for way in chosen]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [plain] * THREADS


@pytest.mark.real
def test_that_threads_decode_into_a_new_type_together() -> None:
    """In a process of its own: what goes wrong here ends it."""
    done = subprocess.run(
        [sys.executable, "-c", f"from {__name__} import *; decode_new_kinds()"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
