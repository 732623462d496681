"""Reader of pictures in a confined process: pixels in the formats of data, never a drawing.

A drawing (SVG) may name other files and any amount of work, so it is none of the formats.
"""

import io
from typing import IO

from PIL import Image, TiffImagePlugin, UnidentifiedImageError, WebPImagePlugin

from engine.sandbox.answer import PIXELS, SIDE, Answer, Picture, Refused

_FORMATS = ("PNG", "JPEG", "BMP", "GIF", "PPM", TiffImagePlugin.TiffImageFile.format or "TIFF",
            WebPImagePlugin.WebPImageFile.format or "WEBP")  # fmt: skip

Image.preinit()  # the readers of these formats, before the process is confined


def read_picture(stream: IO[bytes]) -> Answer:
    """Return the first picture of a file, made smaller where it is large."""
    try:
        with Image.open(io.BytesIO(stream.read()), formats=_FORMATS) as opened:
            if opened.width * opened.height > PIXELS:
                return Refused(code="V007", detail=f"{opened.width} × {opened.height}")
            opened.draft("RGB", (SIDE, SIDE))
            found = opened.convert("RGBA")
    except Image.DecompressionBombError as error:
        return Refused.because("V007", str(error))
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, EOFError) as error:
        return Refused.because("V004", str(error))
    found.thumbnail((SIDE, SIDE))
    return Picture(width=found.width, height=found.height, pixels=found.tobytes())
