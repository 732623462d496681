"""Form of pictures: how one becomes the value of a field."""

from dataclasses import dataclass

from torch import Tensor

from engine.data.read.fit import Fit, as_bytes, as_float_batch, fit_image
from engine.data.read.image import ColorMode, Least, decode_image


@dataclass(frozen=True, kw_only=True)
class PictureForm:
    """Colors and ``size`` (height, width; None for that of each picture) of pictures, and how they
    are fitted to it. Where ``is_reduced``, a large JPEG may be decoded at a smaller size.
    """

    mode: ColorMode = "RGB"
    size: tuple[int, int] | None = None
    fit: Fit = "crop"
    is_reduced: bool = True

    @property
    def least(self) -> Least | None:
        """The smallest size that a picture has to be decoded at; None for its own."""
        return Least(*self.size) if self.size is not None and self.is_reduced else None

    def decoded(self, content: bytes, file: str) -> Tensor:
        """Return a picture of shape (C, H, W) as it was decoded, of the size that was chosen.

        Raises :class:`DiagnosticError` as :func:`~engine.data.read.image.decode_image` does.
        """
        picture = decode_image(content, file, self.mode, self.least)
        return picture if self.size is None else fit_image(picture, *self.size, self.fit)

    def value(self, content: bytes, file: str) -> Tensor:
        """Return a picture as its field has it: float32 from 0 to 1 of one size, or uint8 of its
        own. Raises as :meth:`decoded` does.
        """
        picture = self.decoded(content, file)
        return as_bytes(picture) if self.size is None else as_float_batch([picture])[0]
