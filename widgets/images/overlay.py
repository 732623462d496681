"""Masks, boxes and points laid over pictures: a color for each class, and what prediction and truth
do not share.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from widgets.images.boxes import (
    Frame,
    different_frames,
    draw_boxes,
    found_frames,
    true_frames,
)
from widgets.images.class_color import box_color, class_color
from widgets.images.keypoints import Disc, different_discs, discs, draw_points
from widgets.images.pixels import to_bytes, to_image
from widgets.images.view_model import (
    NO_SHAPE,
    BoxView,
    ImageView,
    KeypointView,
    MaskView,
    Overlay,
)

_NONE = (150, 150, 150)
_HATCH, _HATCH_OPACITY = 3, 0.75  # pixels
MISSED, ADDED, MIXED = (29, 120, 242), (255, 127, 17), (214, 40, 160)
"""Colors of what differs: a class that was not found, one where none is, one for another."""

Pixels = NDArray[np.integer[Any]]
_Tint = tuple[NDArray[np.float32], NDArray[np.float32]]


class Layer(StrEnum):
    """What is laid over a picture."""

    TRUTH = "truth"
    PREDICTION = "prediction"
    DIFFERENCE = "difference"


@dataclass(frozen=True)
class Look:
    """What is laid over pictures, and how strongly: from 0, not at all, to 1, the mask alone. Boxes
    and points are not seen through from the usual strength on; boxes that were found are shown from
    the score ``threshold`` on.
    """

    layer: Layer = Layer.PREDICTION
    opacity: float = 0.55
    threshold: float = 0.5


def layers(masks: Overlay) -> tuple[Layer, ...]:
    """Return what can be laid over a picture with these masks, boxes or points."""
    if isinstance(masks, BoxView):
        if masks.found is None:
            return (Layer.TRUTH,)
        return tuple(Layer) if masks.has_truth else (Layer.PREDICTION,)
    if masks.truth is not None and masks.prediction is not None:
        return (Layer.TRUTH, Layer.PREDICTION, Layer.DIFFERENCE)
    return (Layer.TRUTH if masks.truth is not None else Layer.PREDICTION,)


def class_colors(count: int) -> NDArray[np.uint8]:
    """Return the colors (count, 3) of the first classes, to be looked up by their numbers; black
    for the one without a color.
    """
    return np.array([class_color(number) or (0, 0, 0) for number in range(count)], np.uint8)


def overlaid(view: ImageView, look: Look | None = None, *, has_names: bool = False) -> QImage:
    """Return a picture with its mask over it, where it has one; pixels without a class are hatched
    in gray. Boxes are drawn around what they hold, with ``has_names`` the class of each beside it;
    points are discs.

    Raises ``ValueError`` for a shape that is no picture.
    """
    masks, look = view.overlay, look or Look()
    if masks is None:
        return to_image(view)
    strength = min(look.opacity / Look().opacity, 1.0)
    if isinstance(masks, KeypointView):
        return draw_points(to_image(view), _discs(masks, look), strength)
    if isinstance(masks, BoxView):
        tint = _shape_tint(masks, look)
        picture = to_image(view) if tint is None else _tinted(view, *tint)
        return draw_boxes(picture, _frames(masks, look), strength, has_names=has_names)
    return _tinted(view, *_tint(masks, _layer(masks, look), look.opacity))


def _layer(masks: Overlay, look: Look) -> Layer:
    """Return what is laid over a picture of what can be."""
    return look.layer if look.layer in layers(masks) else layers(masks)[0]


def _discs(points: KeypointView, look: Look) -> list[Disc]:
    """Return which points are drawn."""
    layer, truth, found = _layer(points, look), points.truth, points.prediction
    if layer is Layer.DIFFERENCE and truth is not None and found is not None:
        return different_discs(truth, found, MISSED, ADDED)
    shown = truth if layer is Layer.TRUTH else found
    return [] if shown is None else discs(shown)


def _tinted(view: ImageView, colors: NDArray[np.float32], strength: NDArray[np.float32]) -> QImage:
    """Return a picture with a color over each of its pixels, of a grid of any size."""
    pixels = to_bytes(view)
    picture = np.broadcast_to(pixels, (3, *pixels.shape[1:])).transpose(1, 2, 0).astype(np.float32)
    rows, columns = _places(picture.shape, colors.shape)
    colors, strength = colors[rows][:, columns], strength[rows][:, columns, None]
    mixed = picture + (colors - picture) * strength
    data = np.ascontiguousarray(mixed.round().astype(np.uint8))
    height, width = data.shape[:2]
    kind = QImage.Format.Format_RGB888
    return QImage(data.data, width, height, 3 * width, kind).copy()


def _frames(boxes: BoxView, look: Look) -> list[Frame]:
    """Return which boxes are drawn."""
    layer = _layer(boxes, look)
    if layer is Layer.TRUTH:
        return true_frames(boxes)
    if layer is Layer.PREDICTION:
        return found_frames(boxes, look.threshold)
    return different_frames(boxes, look.threshold, MISSED, ADDED)


def _shape_tint(boxes: BoxView, look: Look) -> _Tint | None:
    """Return a color for each pixel that belongs to a box, and how strong it is: that of the class,
    or of what truth and prediction do not share; None where no pixels are known.
    """
    layer = _layer(boxes, look)
    found = None if boxes.found is None else boxes.found.shapes
    if layer is not Layer.TRUTH and boxes.found is not None and found is not None:
        shown = [*(boxes.found.scores >= look.threshold).tolist(), False]
        is_found = np.array(shown)[np.minimum(found, len(shown) - 1)]
        found = np.where(is_found, found, NO_SHAPE)
    if layer is Layer.DIFFERENCE and found is not None and boxes.shapes is not None:
        rows, columns = _places(found.shape, boxes.shapes.shape)
        is_true, is_found = boxes.shapes[rows][:, columns] != NO_SHAPE, found != NO_SHAPE
        colors = np.where(is_true[..., None], MISSED, ADDED).astype(np.float32)
        return colors, np.where(is_true != is_found, look.opacity, 0.0).astype(np.float32)
    shapes, numbers = boxes.shapes, boxes.numbers
    if layer is not Layer.TRUTH and boxes.found is not None:
        shapes, numbers = found, boxes.found.numbers
    if shapes is None:
        return None
    palette = [*(box_color(number) for number in numbers.tolist()), (0, 0, 0)]
    colors = np.array(palette, np.float32)[np.minimum(shapes, len(palette) - 1)]
    return colors, np.where(shapes != NO_SHAPE, look.opacity, 0.0).astype(np.float32)


def _tint(masks: MaskView, layer: Layer, opacity: float) -> _Tint:
    """Return a color for each pixel of a mask, and how strong it is."""
    truth, prediction = masks.truth, masks.prediction
    if layer is Layer.DIFFERENCE and truth is not None and prediction is not None:
        return _difference(truth, prediction, opacity)
    classes = truth if layer is Layer.TRUTH or prediction is None else prediction
    assert classes is not None
    colors = class_colors(_most(classes) + 1)[np.maximum(classes, 0)].astype(np.float32)
    strength = np.where(classes > 0, opacity, 0.0).astype(np.float32)
    _hatch(classes < 0, colors, strength)
    return colors, strength


def _difference(truth: Pixels, prediction: Pixels, opacity: float) -> _Tint:
    wrong = (truth >= 0) & (truth != prediction)
    colors = np.zeros((*truth.shape, 3), np.float32)
    for chosen, color in (
        (wrong & (prediction == 0), MISSED),
        (wrong & (truth == 0), ADDED),
        (wrong & (truth > 0) & (prediction > 0), MIXED),
    ):
        colors[chosen] = color
    strength = np.where(wrong, max(opacity, _HATCH_OPACITY) if opacity else 0.0, 0.0)
    _hatch(truth < 0, colors, strength)
    return colors, strength.astype(np.float32)


def _hatch(chosen: NDArray[np.bool_], colors: NDArray[np.float32], strength: NDArray[Any]) -> None:
    rows, columns = np.indices(chosen.shape)
    lines = chosen & ((rows + columns) % (2 * _HATCH) < _HATCH)
    colors[lines] = _NONE
    strength[lines] = _HATCH_OPACITY


def _places(picture: tuple[int, ...], mask: tuple[int, ...]) -> tuple[Pixels, Pixels]:
    """Return which row and column of a mask each row and column of a picture shows."""
    height, width = picture[:2]
    return np.arange(height) * mask[0] // height, np.arange(width) * mask[1] // width


def _most(classes: Pixels) -> int:
    return max(int(classes.max(initial=0)), 0)
