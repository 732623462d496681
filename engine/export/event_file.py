"""Event files as TensorBoard reads them: records with checksums, each a protocol buffer message.

The records are those of TensorFlow's ``record_writer.h``, the messages those of ``event.proto``,
``summary.proto``, ``tensor.proto``, ``graph.proto`` and the ``api.proto`` of the plugin hparams;
only the few fields that are used are written here, so that neither TensorFlow nor TensorBoard is
needed.
"""

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

_POLYNOMIAL = 0x82F63B78  # CRC-32C (Castagnoli), reflected
_MASK = 0xA282EAD8
_WIRE_DOUBLE, _WIRE_BYTES, _WIRE_FLOAT = 1, 2, 5
_FLOAT, _STRING = 1, 7  # DT_FLOAT and DT_STRING of ``types.proto``
_SUCCESS, _FAILURE = 1, 2  # of ``hparams/api.proto``
_VERSION = b"brain.Event:2"


Setting = bool | int | float | str
"""What a run was trained with."""


class GraphPart(NamedTuple):
    """A node of a model: ``name`` with "/" between block and node, what it is, the names of the
    nodes before it, and the shapes of its outputs (-1: the batch axis).
    """

    name: str
    kind: str
    inputs: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]


def version_record(wall_s: float) -> bytes:
    """Return the record that every event file begins with."""
    return _record(_event(wall_s, 0, _bytes(3, _VERSION)))


def scalar(wall_s: float, step: int, tag: str, value: float) -> bytes:
    """Return the record of one number of a curve, which is kept as float32."""
    number = bytes([2 << 3 | _WIRE_FLOAT]) + struct.pack("<f", value)
    return _record(_event(wall_s, step, _bytes(5, _bytes(1, _bytes(1, tag.encode()) + number))))


def image(wall_s: float, step: int, tag: str, size: tuple[int, int], png: bytes) -> bytes:
    """Return the record of a picture in colours; ``size`` is its height and width."""
    content = _whole(1, size[0]) + _whole(2, size[1]) + _whole(3, 3) + _bytes(4, png)
    value = _bytes(1, tag.encode()) + _bytes(4, content)
    return _record(_event(wall_s, step, _bytes(5, _bytes(1, value))))


def audio(wall_s: float, step: int, tag: str, form: tuple[int, int, int], content: bytes) -> bytes:
    """Return the record of a WAV file; ``form`` is its samples a second, its channels and its
    samples.
    """
    rate, channels, samples = form
    value = bytes([1 << 3 | _WIRE_FLOAT]) + struct.pack("<f", rate)
    value += _whole(2, channels) + _whole(3, samples)
    value += _bytes(4, content) + _bytes(5, b"audio/wav")
    return _record(
        _event(wall_s, step, _bytes(5, _bytes(1, _bytes(1, tag.encode()) + _bytes(6, value))))
    )


def text(wall_s: float, step: int, tag: str, words: str) -> bytes:
    """Return the record of a text, which TensorBoard reads as Markdown."""
    plugin = _bytes(9, _bytes(1, _bytes(1, b"text")))
    shape = _bytes(2, _bytes(2, _whole(1, 1)))
    tensor = _bytes(8, _whole(1, _STRING) + shape + _bytes(8, words.encode()))
    return _record(
        _event(wall_s, step, _bytes(5, _bytes(1, _bytes(1, tag.encode()) + plugin + tensor)))
    )


def histogram(
    wall_s: float,
    step: int,
    tag: str,
    bins: tuple[Sequence[float], Sequence[float]],
    moments: tuple[float, float],
) -> bytes:
    """Return the record of a histogram: ``bins`` are the lower end of the first with the upper ends
    of all, and their counts; ``moments`` the sum of the elements and that of their squares.
    """
    limits, counts = bins
    ends = (limits[0], limits[-1], sum(counts), *moments)
    content = b"".join(_double(field, value) for field, value in enumerate(ends, 1))
    content += _bytes(6, struct.pack(f"<{len(counts)}d", *limits[1:]))
    content += _bytes(7, struct.pack(f"<{len(counts)}d", *counts))
    value = _bytes(1, tag.encode()) + _bytes(5, content)
    return _record(_event(wall_s, step, _bytes(5, _bytes(1, value))))


def settings(wall_s: float, values: Mapping[str, Setting]) -> bytes:
    """Return the record of what a run was trained with, for the page HPARAMS."""
    entries = b"".join(
        _bytes(1, _bytes(1, name.encode()) + _bytes(2, _setting(value)))
        for name, value in values.items()
    )
    started = _bytes(3, entries + _double(5, wall_s))
    return _hparams(wall_s, "_hparams_/session_start_info", started)


def ending(wall_s: float, *, has_failed: bool) -> bytes:
    """Return the record of the end of a run, for the page HPARAMS."""
    status = _FAILURE if has_failed else _SUCCESS
    ended = _bytes(4, _whole(1, status) + _double(2, wall_s))
    return _hparams(wall_s, "_hparams_/session_end_info", ended)


def _hparams(wall_s: float, tag: str, content: bytes) -> bytes:
    plugin = _bytes(9, _bytes(1, _bytes(1, b"hparams") + _bytes(2, content)))
    tensor = _bytes(8, _whole(1, _FLOAT) + _bytes(2, b"") + _bytes(5, struct.pack("<f", 0.0)))
    value = _bytes(1, tag.encode()) + plugin + tensor
    return _record(_event(wall_s, 0, _bytes(5, _bytes(1, value))))


def _setting(value: Setting) -> bytes:
    """Return a ``google.protobuf.Value``."""
    if isinstance(value, bool):
        return _whole(4, int(value))
    if isinstance(value, int | float):
        return _double(2, float(value))
    return _bytes(3, value.encode())


def model(wall_s: float, parts: Iterable[GraphPart]) -> bytes:
    """Return the record of a model as a graph of named nodes."""
    nodes = b"".join(_bytes(1, _node(part)) for part in parts)
    return _record(_event(wall_s, 0, _bytes(4, nodes + _bytes(4, _whole(1, 22)))))


def read_scalars(content: bytes) -> Iterator[tuple[int, str, float]]:
    """Yield step, tag and value of every number in an event file.

    Raises ``ValueError`` where a checksum is wrong or the file ends in the middle.
    """
    place = 0
    while place < len(content):
        head = content[place : place + 8]
        size = int.from_bytes(head, "little")
        body = content[place + 12 : place + 12 + size]
        sums = content[place + 8 : place + 12] + content[place + 12 + size : place + 16 + size]
        if sums != _checksum(head) + _checksum(body):
            raise ValueError(f"the record at {place} is damaged")
        place += 16 + size
        event = dict(_fields(body))
        if 5 in event:
            value = dict(_fields(dict(_fields(event[5]))[1]))
            if 2 in value:
                number = struct.unpack("<f", value[2])[0]
                yield int.from_bytes(event.get(2, b""), "little"), value[1].decode(), number


def _node(part: GraphPart) -> bytes:
    inputs = b"".join(_bytes(3, name.encode()) for name in part.inputs)
    shapes = b"".join(_bytes(7, _shape(shape)) for shape in part.shapes)
    entry = _bytes(1, b"_output_shapes") + _bytes(2, _bytes(1, shapes))
    return _bytes(1, part.name.encode()) + _bytes(2, part.kind.encode()) + inputs + _bytes(5, entry)


def _shape(shape: Sequence[int]) -> bytes:
    return b"".join(_bytes(2, _whole(1, size)) for size in shape)


def _event(wall_s: float, step: int, content: bytes) -> bytes:
    time = bytes([1 << 3 | _WIRE_DOUBLE]) + struct.pack("<d", wall_s)
    return time + _whole(2, step) + content


def _record(body: bytes) -> bytes:
    head = struct.pack("<Q", len(body))
    return head + _checksum(head) + body + _checksum(body)


def _double(field: int, value: float) -> bytes:
    return bytes([field << 3 | _WIRE_DOUBLE]) + struct.pack("<d", value)


def _whole(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value % (1 << 64))


def _bytes(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | _WIRE_BYTES) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield number and content of each field; whole numbers as little-endian bytes."""
    place = 0
    while place < len(message):
        key, place = _number(message, place)
        match key & 7:
            case 0:
                value, place = _number(message, place)
                yield key >> 3, value.to_bytes(8, "little")
                continue
            case 1:
                size = 8
            case 5:
                size = 4
            case _:
                size, place = _number(message, place)
        yield key >> 3, message[place : place + size]
        place += size


def _number(message: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while message[place] & 0x80:
        value |= (message[place] & 0x7F) << shift
        shift, place = shift + 7, place + 1
    return value | message[place] << shift, place + 1


def _checksum(content: bytes) -> bytes:
    """Return the masked CRC-32C of some bytes, as four bytes."""
    crc = 0xFFFFFFFF
    for byte in content:
        crc = _TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + _MASK) & 0xFFFFFFFF)


def _row(value: int) -> int:
    for _ in range(8):
        value = value >> 1 ^ (_POLYNOMIAL if value & 1 else 0)
    return value


_TABLE = tuple(map(_row, range(256)))
