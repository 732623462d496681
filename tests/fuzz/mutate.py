"""Damage done to real files: to their bytes and, where they are JSON, to their values."""

import io
import json
import random
import zipfile
from typing import Any

import msgspec

NUMBERS = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    2**31,
    2**63,
    2**64,
    10**30,
    -0.0,
    1e308,
    "",
    "../" * 20 + "etc/passwd",
    "/etc/passwd",
    "C:\\Windows",
    "-oProxyCommand=touch",
    "\0",
    "\ud800",
    "\x1b]0;x\x07",
    "<img src='file:///etc/passwd'>",
    "x" * 100_000,
    "%s%n{0}",
    "__import__('os').system('true')",
    [],
    {},
    [[]] * 50,
    {"type": "x"},
)
MOST = 4 << 20


def mutated(data: bytes, others: list[bytes], choice: random.Random) -> bytes:
    """Return a damaged copy of a file; ``others`` are files of its kind to splice it with."""
    if data[:2] == b"PK" and choice.random() < 0.8:
        return _member(data, choice)
    if choice.random() < 0.6:
        try:
            return _values_changed(data, choice)
        except (ValueError, RecursionError, OverflowError, msgspec.MsgspecError):
            pass  # other damage, then
    for _ in range(choice.choice((1, 1, 2, 4, 16))):
        data = choice.choice(_WAYS)(data, others, choice)[:MOST]
    return data


def _member(data: bytes, choice: random.Random) -> bytes:
    """Return an archive with one damaged member and a sum that fits: what reads the archive takes
    it for whole, and what reads the member finds the damage.
    """
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as archive, zipfile.ZipFile(written, "w") as other:
        members = archive.infolist()
        chosen = choice.choice(members).filename
        for member in members:
            content = archive.read(member)
            if member.filename == chosen:
                content = mutated(content, [content], choice)
            other.writestr(member.filename, content)
    return written.getvalue()[:MOST]


def _values_changed(data: bytes, choice: random.Random) -> bytes:
    """Return a document of JSON or MessagePack with other values. Raises where it is neither."""
    if data[:1] in (b"{", b"["):
        return _json(json.loads(data), choice)
    document = msgspec.msgpack.decode(data)
    return msgspec.msgpack.encode(_changed(document, choice))[:MOST]


def _changed(document: Any, choice: random.Random) -> Any:
    for _ in range(choice.choice((1, 1, 2, 5))):
        places = list(_places(document))
        if not places:
            break
        holder, key = choice.choice(places)
        way = choice.randrange(5)
        if way == 0:
            del holder[key]
        elif way == 1:
            holder[key] = choice.choice(places)[0]
            if _depth_exceeds(document):
                holder[key] = None
        elif way == 2 and isinstance(holder, dict):
            holder[str(choice.choice(VALUES))[:2000]] = holder[key]
        else:
            holder[key] = choice.choice(VALUES)
    return document


def _json(document: Any, choice: random.Random) -> bytes:
    text = json.dumps(_changed(document, choice))
    if choice.random() < 0.05:
        deep = choice.choice((100, 1000, 100_000))
        text = text.replace("null", "[" * deep + "]" * deep, 1)
    if choice.random() < 0.1:
        text = text.replace("1", choice.choice(("NaN", "Infinity", "1e999", "9" * 5000)), 1)
    return text.encode("utf-8", "surrogatepass")[:MOST]


def _places(value: Any) -> Any:
    if isinstance(value, dict):
        for key, part in list(value.items()):
            yield value, key
            yield from _places(part)
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield value, index
            yield from _places(part)


def _depth_exceeds(document: Any) -> bool:
    """Return whether a document has got a circle, or more than JSON should have."""
    try:
        return len(json.dumps(document, default=repr)) > MOST
    except (ValueError, RecursionError):
        return True


def _flip(data: bytes, _: list[bytes], choice: random.Random) -> bytes:
    if not data:
        return data
    at, changed = choice.randrange(len(data)), bytearray(data)
    changed[at] ^= 1 << choice.randrange(8)
    return bytes(changed)


def _number(data: bytes, _: list[bytes], choice: random.Random) -> bytes:
    size = choice.choice((1, 2, 4, 8))
    at = choice.randrange(max(len(data) - size, 1))
    order = choice.choice(("little", "big"))
    value = (choice.choice(NUMBERS) % (1 << 8 * size)).to_bytes(size, order)
    return data[:at] + value + data[at + size :]


def _cut(data: bytes, _: list[bytes], choice: random.Random) -> bytes:
    at = choice.randrange(len(data) + 1)
    return data[:at] if choice.random() < 0.5 else data[:at] + data[at + choice.randrange(64) :]


def _insert(data: bytes, _: list[bytes], choice: random.Random) -> bytes:
    at = choice.randrange(len(data) + 1)
    piece = choice.choice((choice.randbytes(choice.randrange(64)), b"\0" * 300, b"A" * 5000))
    return data[:at] + piece + data[at:]


def _repeat(data: bytes, _: list[bytes], choice: random.Random) -> bytes:
    at = choice.randrange(len(data) + 1)
    piece = data[at : at + choice.randrange(1, 256)]
    return data[:at] + piece * choice.choice((2, 3, 100)) + data[at:]


def _splice(data: bytes, others: list[bytes], choice: random.Random) -> bytes:
    other = choice.choice(others)
    return data[: choice.randrange(len(data) + 1)] + other[choice.randrange(len(other) + 1) :]


def _swap(data: bytes, _: list[bytes], choice: random.Random) -> bytes:
    if len(data) < 4:
        return data
    a, b = sorted(choice.sample(range(len(data)), 2))
    size = min(choice.randrange(1, 64), b - a)
    return (
        data[:a] + data[b : b + size] + data[a + size : b] + data[a : a + size] + data[b + size :]
    )


_WAYS = (_flip, _flip, _number, _number, _cut, _insert, _repeat, _splice, _swap)
