"""Reader of pictures: bytes of a file to a tensor of pixels.

JPEG is decoded by torchvision's operator, which writes straight into a tensor, everything else by
Pillow; both use libjpeg-turbo and give the same pixels, so that a machine without the operator
reads the same numbers. Pictures come from strangers: only well-known raster formats, bounded in
bytes and pixels, and whatever is wrong with one is a finding that names the file.
"""

import contextlib
import importlib.util
import io
import struct
import sys
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

import numpy as np
import torch
from PIL import Image, TiffImagePlugin, WebPImagePlugin
from torch import Tensor

from engine.data.read.enclosed import open_enclosed, read_enclosed
from engine.data.read.fit import as_bytes
from engine.diagnostics import DiagnosticError
from engine.files import NoFileError, TooLargeError, open_file, read_file

Decoded = TypeVar("Decoded")

ColorMode = Literal["RGB", "gray", "unchanged"]

MOST_BYTES = 256 << 20
MOST_PIXELS = 89_478_485
"""The most pixels of a picture: where Pillow itself begins to warn, a quarter of a gigabyte."""

_FORMATS = ("JPEG", "PNG", WebPImagePlugin.WebPImageFile.format or "WEBP", "BMP", "GIF",
            TiffImagePlugin.TiffImageFile.format or "TIFF", "PPM")  # fmt: skip
_JPEG_MODES = {"unchanged": 0, "gray": 1, "RGB": 3}  # torchvision's ImageReadMode
_PNG_RGB = 3
_PILLOW_MODES = {"RGB": "RGB", "gray": "L"}
_LIBRARIES = ("image_stable", "image")  # since torchvision 0.27, and before
_ORIENTATION = 0x0112  # the tag of EXIF
_DEEP_MODES = ("I", "I;16", "I;16B", "I;16L", "I;16N", "F")
_SIXTEEN_BIT = 65535
_LONGEST_DETAIL = 500
_WEBP_HEAD = 30  # bytes
_FIRST_ACROSS = 5  # of the ways that a picture lies: from here on its sides are swapped

DAMAGED = (
    OSError,
    ValueError,
    SyntaxError,  # Pillow's word for a header that is none
    EOFError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    MemoryError,
    RuntimeError,  # of torchvision's operators
    struct.error,
    zlib.error,
    Image.DecompressionBombError,
    Image.DecompressionBombWarning,
    UserWarning,  # of damaged EXIF, where warnings are errors
)
"""What decoders raise for bytes that are no picture."""


class TooManyPixelsError(ValueError):
    """A picture says that it is larger than what is read."""

    def __init__(self, width: int, height: int) -> None:
        super().__init__(f"{width} × {height}")
        self.width = width
        self.height = height


class _ColoredError(Exception):
    """A mask is in color."""


class Least(NamedTuple):
    """The smallest size that a picture is needed in."""

    height: int
    width: int


def read_image(path: Path, mode: ColorMode = "RGB", least: Least | None = None) -> Tensor:
    """Return the picture in a file, as :func:`decode_image` does.

    Raises :class:`DiagnosticError`: D052 for a damaged one, D053 for one that is too large, D054
    where the file is not there, D055 where it may not be read, D056 where the system cannot.
    """
    return decode_image(read_bytes(path), str(path), mode, least)


def read_bytes(path: Path) -> bytes:
    """Return what the file of a picture holds, which may be inside another. Raises
    :class:`DiagnosticError` D053 to D056, and what
    :func:`~engine.data.read.enclosed.read_enclosed` does.
    """
    try:
        return read_file(path, MOST_BYTES)
    except TooLargeError as error:
        raise DiagnosticError.of("D053", file=str(path), size=f"{MOST_BYTES >> 20} MB") from error
    except (FileNotFoundError, NotADirectoryError) as error:
        inside = read_enclosed(path)
        if inside is not None:
            return inside
        raise DiagnosticError.of("D054", file=str(path), detail=str(error)) from error
    except PermissionError as error:
        raise DiagnosticError.of("D055", file=str(path), detail=str(error)) from error
    except (NoFileError, IsADirectoryError) as error:
        raise DiagnosticError.of("D052", file=str(path), detail=str(error)) from error
    except (OSError, ValueError) as error:  # a path with a zero in it
        raise DiagnosticError.of("D056", file=str(path), detail=str(error)) from error


def read_size(path: Path) -> tuple[int, int]:
    """Return height and width of the picture in a file, upright, by its header alone. Raises as
    :func:`read_image` does.
    """
    try:
        with _opened(path) as stream:
            _check_webp(stream.peek(_WEBP_HEAD)[:_WEBP_HEAD])
            with Image.open(stream, formats=_FORMATS) as opened:
                size = (opened.height, opened.width)
                turn = _orientation(opened)
    except (OSError, *DAMAGED):
        pixels = read_image(path)  # says what is wrong, or knows better
        return int(pixels.shape[-2]), int(pixels.shape[-1])
    return (size[1], size[0]) if turn >= _FIRST_ACROSS else size


def _opened(path: Path) -> io.BufferedReader:
    try:
        return open_file(path, MOST_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        inside = open_enclosed(path)
        if inside is None:
            raise
        return inside


def decode_image(
    content: bytes, file: str, mode: ColorMode = "RGB", least: Least | None = None
) -> Tensor:
    """Return the first picture in the content of a file, turned as its EXIF tag says.

    The shape is (C, H, W); uint8, or float32 from 0 to 1 for 16 and 32 bits a channel. ``RGB`` has
    three channels and ``gray`` one; opacity is left out. ``unchanged`` keeps gray, opacity and
    color; palettes and CMYK become RGB. With ``least`` a JPEG that is at least four times as large
    is decoded at a half, a quarter or an eighth of its size, which is never less than twice
    ``least``. ``file`` is what the findings call it. Raises :class:`DiagnosticError`: D052 for a
    damaged picture, D053 for one of too many pixels.
    """
    return decode_sized(content, file, mode, least)[0]


def decode_sized(
    content: bytes, file: str, mode: ColorMode = "RGB", least: Least | None = None
) -> tuple[Tensor, tuple[int, int]]:
    """Return a picture as :func:`decode_image` does, with height and width that its header says,
    before EXIF turns it. Raises as that does.
    """
    return _reported(content, file, lambda given: _decode(given, mode, least))


def _reported(content: bytes, file: str, decode: Callable[[bytes], Decoded]) -> Decoded:
    """Return what is decoded; what goes wrong is a finding about the file."""
    try:
        return decode(content)
    except TooManyPixelsError as error:
        raise DiagnosticError.of("D053", file=file, size=str(error)) from error
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise DiagnosticError.of("D053", file=file, size=f"{MOST_PIXELS:,} +") from error
    except DAMAGED as error:
        detail = f"{type(error).__name__}: {error}"[:_LONGEST_DETAIL]
        raise DiagnosticError.of("D052", file=file, detail=detail) from error


def decode_mask(content: bytes, file: str, *, allows_color: bool = False) -> Tensor:
    """Return the values of a picture that holds a number for each pixel, as they are stored: of a
    palette the index. The shape is (H, W), int64; with ``allows_color`` color becomes gray, else it
    raises :class:`DiagnosticError` D230. Raises as :func:`decode_image` does.
    """
    try:
        return _reported(content, file, lambda given: _decode_mask(given, allows_color))
    except _ColoredError as error:
        raise DiagnosticError.of("D230", field="data.source.colors", file=file) from error


def decode_colors(content: bytes, file: str) -> Tensor:
    """Return the colors of a picture as numbers 0xRRGGBB, int64 of shape (H, W); of a palette the
    colors in it. Raises as :func:`decode_image` does.
    """
    red, green, blue = as_bytes(decode_image(content, file)).to(torch.int64)
    return red << 16 | green << 8 | blue


def _decode_mask(content: bytes, allows_color: bool) -> Tensor:
    _check_webp(content)
    with Image.open(io.BytesIO(content), formats=_FORMATS) as opened:
        if opened.width * opened.height > MOST_PIXELS:
            raise TooManyPixelsError(opened.width, opened.height)
        opened.load()
        turn = _orientation(opened)
        is_stored = opened.mode in ("1", "L", "P", *_DEEP_MODES)
        stored = np.array(opened if is_stored else opened.convert("RGB"))
        if not is_stored and (allows_color or not (stored != stored[..., :1]).any()):
            stored = np.array(opened.convert("L"))  # of equal channels their value
        if stored.ndim > 2:
            raise _ColoredError
        values = torch.from_numpy(np.nan_to_num(stored).astype(np.int64))
        return _turned(values.unsqueeze(0), turn).squeeze(0)


def _decode(content: bytes, mode: ColorMode, least: Least | None) -> tuple[Tensor, tuple[int, int]]:
    _check_webp(content)
    with Image.open(io.BytesIO(content), formats=_FORMATS) as opened:
        size = opened.height, opened.width
        if opened.width * opened.height > MOST_PIXELS:
            raise TooManyPixelsError(opened.width, opened.height)
        return _decode_opened(opened, content, mode, least), size


def _decode_opened(
    opened: Image.Image, content: bytes, mode: ColorMode, least: Least | None
) -> Tensor:
    if opened.format in ("JPEG", "MPO") and opened.mode in ("RGB", "L"):
        return _decode_jpeg(opened, content, mode, least)
    operator = fast_decoder("decode_png") if _is_deep_png(content) else None
    if operator is not None:
        pixels = _scaled(operator(_as_tensor(content), _PNG_RGB))
        return _in_mode(_turned(pixels, _orientation(opened)), mode)
    opened.load()
    turn = _orientation(opened)  # a TIFF has turned itself by now
    return _turned(_pixels(opened, mode), turn)


def _decode_jpeg(
    opened: Image.Image, content: bytes, mode: ColorMode, least: Least | None
) -> Tensor:
    turn = _orientation(opened)
    width, height = opened.size
    if least is not None:
        rows, columns = reversed(least) if turn >= _FIRST_ACROSS else least
        if width >= 4 * columns and height >= 4 * rows:
            opened.draft(_PILLOW_MODES.get(mode), (2 * columns, 2 * rows))
    operator = fast_decoder("decode_jpeg")
    if opened.size == (width, height) and operator is not None:
        return _turned(operator(_as_tensor(content), _JPEG_MODES[mode]), turn)
    if mode == "gray":
        opened.draft("L", opened.size)  # the luminance as it is stored
    return _turned(_pixels(opened, mode), turn)


def _pixels(opened: Image.Image, mode: ColorMode) -> Tensor:
    """Return the pixels of a picture of Pillow's, of shape (C, H, W)."""
    if opened.mode in _DEEP_MODES:
        values = torch.from_numpy(np.array(opened, dtype=np.float32)).unsqueeze(0)
        if opened.mode != "F":
            values = (values / _SIXTEEN_BIT).clamp_(0, 1)
        return _in_mode(values.nan_to_num_(), mode)
    if opened.mode in ("P", "PA") and "transparency" in opened.info:
        opened = opened.convert("RGBA")
    if mode == "unchanged":
        if opened.mode not in ("L", "LA", "RGB", "RGBA"):
            opened = opened.convert("L" if opened.mode == "1" else "RGB")
    elif opened.mode != _PILLOW_MODES[mode]:
        opened = opened.convert(_PILLOW_MODES[mode])
    values = torch.from_numpy(np.array(opened))
    return values.unsqueeze(0) if values.ndim == 2 else values.permute(2, 0, 1)


def _in_mode(values: Tensor, mode: ColorMode) -> Tensor:
    """Return float32 values of shape (C, H, W) with the channels of a mode."""
    if mode == "RGB":
        return values.expand(3, -1, -1) if len(values) == 1 else values[:3]
    if mode == "gray" and len(values) >= 3:
        weights = torch.tensor([0.299, 0.587, 0.114]).reshape(3, 1, 1)  # ITU-R 601-2, as Pillow's
        return (values[:3] * weights).sum(0, keepdim=True)
    return values


def _scaled(values: Tensor) -> Tensor:
    """Return uint16 values as float32 from 0 to 1."""
    return values.to(torch.float32) / _SIXTEEN_BIT


def _orientation(opened: Image.Image) -> int:
    """Return how a picture lies, from 1 to 8; one whose EXIF cannot be read lies as it is."""
    try:
        turn = opened.getexif().get(_ORIENTATION, 1)
    except DAMAGED:
        return 1  # pixels do not depend on what else is said of them
    return turn if isinstance(turn, int) and 1 <= turn <= 8 else 1


def _turned(values: Tensor, turn: int) -> Tensor:
    """Return pixels of shape (C, H, W) upright, from how EXIF says that they lie."""
    if turn >= _FIRST_ACROSS:
        values = values.transpose(-1, -2)
    axes = {2: (-1,), 3: (-1, -2), 4: (-2,), 6: (-1,), 7: (-1, -2), 8: (-2,)}.get(turn)
    return values.flip(axes) if axes else values


def _is_deep_png(content: bytes) -> bool:
    """Return whether a PNG has 16 bits a channel and color, of which Pillow keeps eight."""
    return content[:8] == b"\x89PNG\r\n\x1a\n" and content[24:26] in (b"\x10\x02", b"\x10\x06")


def _check_webp(content: bytes) -> None:
    """Raise :class:`TooManyPixelsError` for a WebP of too many pixels: Pillow makes room for them
    while it opens the file.
    """
    if content[:4] != b"RIFF" or content[8:12] != b"WEBP" or len(content) < _WEBP_HEAD:
        return
    kind = content[12:16]
    if kind == b"VP8X":
        width = 1 + int.from_bytes(content[24:27], "little")
        height = 1 + int.from_bytes(content[27:30], "little")
    elif kind == b"VP8L":
        bits = int.from_bytes(content[21:25], "little")
        width, height = 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    else:
        width = int.from_bytes(content[26:28], "little") & 0x3FFF
        height = int.from_bytes(content[28:30], "little") & 0x3FFF
    if width * height > MOST_PIXELS:
        raise TooManyPixelsError(width, height)


def _as_tensor(content: bytes) -> Tensor:
    # bytes cannot be written to, which PyTorch warns of; the operators only read
    return torch.from_numpy(np.frombuffer(bytearray(content), dtype=np.uint8))


@cache
def fast_decoder(name: str) -> Callable[[Tensor, int], Tensor] | None:
    """Return an operator of torchvision's image library, None where it cannot be loaded.

    The library alone: importing torchvision takes seconds, and its Python functions around the
    operators warn that they will move.
    """
    spec = importlib.util.find_spec("torchvision")
    if spec is None or spec.origin is None:
        return None
    ending = ".pyd" if sys.platform == "win32" else ".so"
    for library in _LIBRARIES:
        path = Path(spec.origin).with_name(f"{library}{ending}")
        if path.is_file():
            with contextlib.suppress(OSError, AttributeError):  # Pillow reads the same pixels
                torch.ops.load_library(str(path))
                return getattr(torch.ops.image, name)
    return None
