"""Writer of PNG files (W3C 2003) for pictures that are at hand as bytes."""

import struct
import zlib

_COLOR_TYPES = {1: 0, 3: 2}  # channels: gray, red green blue


def png_bytes(pixels: bytes, size: tuple[int, int, int]) -> bytes:
    """Return a picture as a PNG; ``pixels`` are of ``size`` (height, width, channels: 1 or 3), row
    by row, a byte each.
    """
    height, width, channels = size
    stride = width * channels
    rows = (pixels[start : start + stride] for start in range(0, height * stride, stride))
    lines = b"".join(b"\0" + row for row in rows)  # 0: the row is not filtered
    head = struct.pack(">IIBBBBB", width, height, 8, _COLOR_TYPES[channels], 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(lines)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(content))
        + kind
        + content
        + struct.pack(">I", zlib.crc32(kind + content))
        for kind, content in chunks
    )
