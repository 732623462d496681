"""Folder of pictures of masks beside a file of predictions, which comes into place at the end."""

import os
import secrets
import shutil
from pathlib import Path

import numpy as np
from PIL import Image

from engine.diagnostics import DiagnosticError
from engine.files import FileWriteError, describe_os_error

_BYTE = 256
_PALETTE = [
    sum(((color >> (3 * bit + channel)) & 1) << (7 - bit) for bit in range(8))
    for color in range(_BYTE)
    for channel in range(3)
]
"""Colors that tell classes apart, as Pascal VOC has them: the first is black."""


class MaskFolder:
    """Masks of the samples of an ``output``, in a folder that is called like it. They are written
    to a folder beside, which :meth:`finish` puts in place and :meth:`discard` removes.
    """

    def __init__(self, output: Path) -> None:
        self.path = output.with_name(f"{output.stem}_masks")
        self._temporary = output.with_name(
            f".{self.path.name}.{os.getpid()}.{secrets.token_hex(8)}.tmp"
        )

    def require_free(self) -> None:
        """Raise :class:`DiagnosticError` P051 where the folder is there and has something in it."""
        if self.path.exists() and (not self.path.is_dir() or any(self.path.iterdir())):
            raise DiagnosticError.of("P051", file=self.path.name, folder=str(self.path.parent))

    def add(self, name: str, mask: np.ndarray) -> str:
        """Write the mask of a sample, whole numbers of shape (height, width), and return its path
        from the folder of the output. Raises :class:`~engine.files.FileWriteError`.
        """
        file = name if name.lower().endswith(".png") else f"{name}.png"
        path = self._temporary / file
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _picture(mask).save(path, format="PNG")
        except OSError as error:
            raise FileWriteError(describe_os_error(error, self.path / file, "write")) from error
        return f"{self.path.name}/{file}"

    def finish(self) -> None:
        """Put the masks in place; other files that are there stay."""
        if not self._temporary.is_dir():
            return
        try:
            for file in self._temporary.rglob("*.png"):
                place = self.path / file.relative_to(self._temporary)
                place.parent.mkdir(parents=True, exist_ok=True)
                file.replace(place)
        except OSError as error:
            raise FileWriteError(describe_os_error(error, self.path, "write")) from error

    def discard(self) -> None:
        """Remove what is not in place."""
        shutil.rmtree(self._temporary, ignore_errors=True)


def _picture(mask: np.ndarray) -> Image.Image:
    """Return a picture whose pixels are the numbers of a mask, colored where bytes hold them."""
    if mask.max(initial=0) >= _BYTE:
        return Image.fromarray(mask.astype(np.uint16))
    height, width = mask.shape
    picture = Image.frombytes("P", (width, height), mask.astype(np.uint8).tobytes())
    picture.putpalette(_PALETTE)
    return picture
