"""Views of boxes that a model finds, beside the true ones where these are known."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.query.results.request import FoundBox, TrueBox
from widgets.images.view_model import BoxView, FoundView


def box_view(
    classes: tuple[str, ...], truth: Sequence[TrueBox] | None, found: Sequence[FoundBox]
) -> BoxView:
    """Return found boxes beside the true ones, if these are known."""
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
        ),
        has_truth=truth is not None,
    )


def _corners(boxes: Sequence[TrueBox] | Sequence[FoundBox]) -> NDArray[np.float64]:
    return np.asarray([box.corners for box in boxes], np.float64).reshape(-1, 4)
