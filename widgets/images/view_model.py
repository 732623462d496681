"""View model of a gallery, as frozen values."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

NO_SHAPE = 255
"""The number of the pixels that belong to no box."""

Image = NDArray[np.floating[Any]] | NDArray[np.uint8]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class MaskView:
    """Classes of the pixels of a picture, integers of shape (H, W): those that are ``truth``, those
    of a ``prediction``, or both; below zero for pixels without one. ``classes`` are their names.
    """

    classes: tuple[str, ...]
    truth: NDArray[np.integer[Any]] | None = None
    prediction: NDArray[np.integer[Any]] | None = None


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class FoundView:
    """Boxes that a model found, as those of :class:`BoxView`, with their ``scores`` (boxes,);
    ``hits`` tells which true box (its index, below zero for none) each of them hits; ``shapes``
    which of them each pixel belongs to.
    """

    corners: NDArray[np.floating[Any]]
    numbers: NDArray[np.integer[Any]]
    scores: NDArray[np.floating[Any]]
    hits: NDArray[np.integer[Any]]
    shapes: NDArray[np.uint8] | None = None


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class BoxView:
    """Boxes on a picture: ``corners`` (boxes, 4) are left, top, right and bottom as shares of its
    width and height, ``numbers`` (boxes,) their classes, of which ``classes`` are the names;
    ``shapes`` (H, W) says which of them each pixel belongs to, :data:`NO_SHAPE` to none. Beside
    them, or without true ones (``has_truth``), stands what a model ``found``.
    """

    classes: tuple[str, ...]
    corners: NDArray[np.floating[Any]]
    numbers: NDArray[np.integer[Any]]
    found: FoundView | None = None
    has_truth: bool = True
    shapes: NDArray[np.uint8] | None = None

    def name(self, number: int) -> str:
        """Return the name of a class; its number where it has none."""
        return self.classes[number] if 0 <= number < len(self.classes) else str(number)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class KeypointView:
    """Points in a picture, (points, 2), x and y as shares of its width and height: those that are
    ``truth``, those of a ``prediction``, or both. ``names`` are what they are called. Points
    outside of the picture, and those that are not finite, are not seen.
    """

    names: tuple[str, ...]
    truth: NDArray[np.floating[Any]] | None = None
    prediction: NDArray[np.floating[Any]] | None = None


Overlay = MaskView | BoxView | KeypointView
"""What can be laid over a picture."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class ImageView:
    """One picture: ``pixels`` (1, H, W), (3, H, W) or (H, W); floats are spread over
    ``minimum``..``maximum`` (equal: over what the picture holds), uint8 are taken as they are.
    ``rows`` and ``columns`` are words beside each row and above each column of pixels;
    ``overlay`` are masks, boxes or points that can be laid over it. One that ``is_captioned`` has
    sentences below it, which need more room than names do.
    """

    pixels: Image
    label: str = ""
    sublabel: str = ""
    minimum: float = 0.0
    maximum: float = 1.0
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    overlay: Overlay | None = None
    is_captioned: bool = False


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class StageView:
    """One stage of a sample on its way: its pictures, and lines below them. ``error`` says why
    there is nothing to show, ``repair`` what a button does about that.
    """

    key: str
    title: str
    images: tuple[ImageView, ...] = ()
    lines: tuple[str, ...] = ()
    error: str = ""
    repair: str = ""
