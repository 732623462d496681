"""Views of boxes that a model finds, beside the true ones where these are known."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.query.results.request import FoundBox, TrueBox
from widgets.images.view_model import BoxView, FoundView


def box_view(
    classes: tuple[str, ...],
    truth: Sequence[TrueBox] | None,
    found: Sequence[FoundBox],
    shapes: tuple[bytes, bytes] = (b"", b""),
    size: tuple[int, int] = (0, 0),
) -> BoxView:
    """Return found boxes beside the true ones, if these are known; ``shapes`` are bytes of a
    picture of this ``size`` (height, width), which true and which found box each pixel is of, empty
    where that is not known.
    """
    true = truth or ()
    return BoxView(
        classes=classes,
        corners=_corners(true),
        numbers=np.asarray([box.label for box in true], np.int64),
        found=FoundView(
            corners=_corners(found),
            numbers=np.asarray([box.label for box in found], np.int64),
            scores=np.asarray([box.score for box in found], np.float64),
            hits=np.asarray([box.hit for box in found], np.int64),
            shapes=_shapes(shapes[1], size),
        ),
        has_truth=truth is not None,
        shapes=_shapes(shapes[0], size),
    )


def _shapes(content: bytes, size: tuple[int, int]) -> NDArray[np.uint8] | None:
    return np.frombuffer(content, np.uint8).reshape(size) if content else None


def _corners(boxes: Sequence[TrueBox] | Sequence[FoundBox]) -> NDArray[np.float64]:
    return np.asarray([box.corners for box in boxes], np.float64).reshape(-1, 4)
