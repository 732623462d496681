"""Form of masks: what stands for the classes of pixels, and how those become an input."""

from dataclasses import dataclass

import torch
from torch import Tensor

from engine.data.read.fit import Fit, fit_mask
from engine.data.read.image import decode_colors, decode_mask
from engine.diagnostics import DiagnosticError
from engine.spec.data import IGNORED


@dataclass(frozen=True, kw_only=True)
class MaskClasses:
    """``names`` are the classes; ``colors`` (0xRRGGBB) are theirs, empty where the values of a mask
    are the numbers of the classes. ``ignored`` are the values or colors of pixels without a class.
    """

    names: tuple[str, ...]
    colors: tuple[int, ...] = ()
    ignored: tuple[int, ...] = ()

    def read(self, content: bytes, file: str) -> Tensor:
        """Return the class of each pixel of the content of a file, int64 of shape (H, W),
        :data:`~engine.spec.data.IGNORED` for none. With two classes and no colors every value but 0
        is the second.

        Raises :class:`DiagnosticError`: D078 for a value and D231 for a color of no class, D230
        for a mask in color whose colors are not known, and what decoding raises.
        """
        if self.colors:
            return self._of_colors(decode_colors(content, file), file)
        is_binary = len(self.names) == 2
        values = decode_mask(content, file, allows_color=is_binary)
        is_ignored = torch.isin(values, torch.tensor(self.ignored, dtype=torch.int64))
        numbers = (values != 0).to(torch.int64) if is_binary else values
        numbers = numbers.masked_fill(is_ignored, IGNORED)
        wrong = values[~is_ignored & ((numbers < 0) | (numbers >= len(self.names)))]
        if len(wrong):
            raise DiagnosticError.of(
                "D078",
                field="data.source.classes",
                file=file,
                value=int(wrong[0]),
                classes=len(self.names),
                highest=len(self.names) - 1,
            )
        return numbers

    def _of_colors(self, codes: Tensor, file: str) -> Tensor:
        known = torch.tensor((*self.colors, *self.ignored), dtype=torch.int64)
        ordered, order = known.sort()
        places = torch.searchsorted(ordered, codes).clamp(max=len(known) - 1)
        wrong = codes[ordered[places] != codes]
        if len(wrong):
            color = color_text(int(wrong[0]))
            raise DiagnosticError.of("D231", field="data.source.colors", file=file, color=color)
        numbers = order[places]
        return numbers.masked_fill(numbers >= len(self.colors), IGNORED)


@dataclass(frozen=True, kw_only=True)
class MaskForm:
    """Masks that are an input: a plane of 0 and 1 for each class, of ``size`` (height, width; None
    for that of each mask).
    """

    classes: MaskClasses
    size: tuple[int, int] | None = None
    fit: Fit = "crop"

    def numbers(self, content: bytes, file: str) -> Tensor:
        """Return the class of each pixel, int64 of shape (H, W), below 0 for none. Raises as
        :meth:`MaskClasses.read` does.
        """
        numbers = self.classes.read(content, file)
        if self.size is None:
            return numbers
        return fit_mask(numbers, *self.size, self.fit, outside=IGNORED)

    def value(self, content: bytes, file: str) -> Tensor:
        """Return the planes, float32 of shape (classes, H, W). Raises as :meth:`numbers` does."""
        return planes_of(self.numbers(content, file), len(self.classes.names))


def planes_of(numbers: Tensor, classes: int) -> Tensor:
    """Return a plane of 0 and 1 (float32) for each class, given the class of each pixel."""
    return (numbers == torch.arange(classes).reshape(-1, 1, 1)).to(torch.float32)


def color_text(code: int) -> str:
    """Return how a color is written."""
    return f"#{code:06x}"
