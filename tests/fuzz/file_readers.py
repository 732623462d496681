"""Readers of the data that users bring: arrays, texts and tables of numbers."""

import struct
from pathlib import Path

from tests.fuzz.reader import Reader


def _array_files(folder: Path) -> list[bytes]:
    import gzip

    import numpy as np

    import engine.data.source.registry  # noqa: F401 - imports torch, which starts a process

    values = np.arange(24, dtype=np.float32).reshape(4, 3, 2)
    idx = b"\0\0\x08\x03" + struct.pack(">3I", 4, 3, 2) + bytes(range(24))
    np.save(folder / "a.npy", values)
    np.savez(folder / "b.npz", x=values, y=np.arange(4))
    np.savez_compressed(folder / "c.npz", x=np.asfortranarray(values))
    plain = [(folder / name).read_bytes() for name in ("a.npy", "b.npz", "c.npz")]
    return [*plain, idx, gzip.compress(idx)]


def _arrays(path: Path) -> object:
    from engine.data.read.array import find_arrays

    arrays = find_arrays(path)
    return [array.read() for array in arrays.values()]


def _texts(folder: Path) -> list[bytes]:
    import engine.data.source.registry  # noqa: F401 - imports torch, which starts a process

    lines = "".join(f"label {number % 3}\tnaïve text {number}\r\n" for number in range(40))
    return [lines.encode(encoding) for encoding in ("utf-8", "utf-8-sig", "utf-16", "cp1252")]


def _text(path: Path) -> object:
    from engine.data.source.registry import load_source
    from engine.spec.run import Choice

    values: list[object] = []
    for task in ("language_model", "classification", "pairs"):
        params = {"path": str(path), "task": task, "length": 5, "tokens": "words"}
        source = load_source(Choice(type="text", params=params))
        values += source.read(range(min(4, source.samples))).values()
    return values


def _tables(folder: Path) -> list[bytes]:
    import engine.data.source.registry  # noqa: F401 - imports torch, which starts a process

    rows = "".join(f'2026-01-{day:02},{day},"{day / 2}"\n' for day in range(1, 29))
    return [f"day,sales,rain\n{rows}".encode(), f"day;a;b\r\n{rows}".replace(",", ";").encode()]


def _table(path: Path) -> object:
    from engine.data.source.registry import load_source
    from engine.spec.run import Choice

    params = {"path": str(path), "length": 3, "time": "day"}
    source = load_source(Choice(type="series", params=params))
    return list(source.read(range(min(4, source.samples))).values())


FILE_READERS = (
    Reader("arrays", "values.npz", _array_files, _arrays),
    Reader("text", "text.txt", _texts, _text),
    Reader("series", "table.csv", _tables, _table),
)
