"""View model of a gallery, as frozen values."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.floating[Any]] | NDArray[np.uint8]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class ImageView:
    """One picture: ``pixels`` (1, H, W), (3, H, W) or (H, W); floats are spread over
    ``minimum``..``maximum`` (equal: over what the picture holds), uint8 are taken as they are.
    ``rows`` and ``columns`` are words beside each row and above each column of pixels.
    """

    pixels: Image
    label: str = ""
    sublabel: str = ""
    minimum: float = 0.0
    maximum: float = 1.0
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()


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
