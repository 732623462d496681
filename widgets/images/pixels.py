"""Conversion of arrays of pixels to pictures of Qt."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPixmap

from widgets.images.view_model import ImageView

_LEAST = 256  # pixels of the longer side, so that lines are thin beside the picture


def to_image(view: ImageView) -> QImage:
    """Return the picture, pixel for pixel; what is not finite becomes black.

    Raises ``ValueError`` for a shape that is no picture.
    """
    pixels = to_bytes(view)
    channels, height, width = pixels.shape
    if channels == 1:
        data = np.ascontiguousarray(pixels[0])
        image = QImage(data.data, width, height, width, QImage.Format.Format_Grayscale8)
    else:
        data = np.ascontiguousarray(pixels.transpose(1, 2, 0))
        image = QImage(data.data, width, height, 3 * width, QImage.Format.Format_RGB888)
    return image.copy()  # the bytes belong to the array


def to_bytes(view: ImageView) -> NDArray[np.uint8]:
    """Return the picture as bytes of shape (1 or 3, H, W); what is not finite becomes black.

    Raises ``ValueError`` for a shape that is no picture.
    """
    pixels = np.asarray(view.pixels)
    if pixels.ndim == 2:
        pixels = pixels[None]
    if pixels.ndim != 3 or pixels.shape[0] not in (1, 3) or 0 in pixels.shape:
        raise ValueError(f"not a picture: shape {pixels.shape}; give (1 or 3, height, width)")
    if pixels.dtype != np.uint8:
        return _as_bytes(pixels.astype(np.float32), view.minimum, view.maximum)
    return pixels.astype(np.uint8, copy=False)


def fitted(image: QImage, side: int) -> QPixmap:
    """Return a picture as large as fits a square; small pictures keep their square pixels."""
    is_grown = max(image.width(), image.height()) < side
    mode = Qt.TransformationMode.SmoothTransformation
    if is_grown:
        mode = Qt.TransformationMode.FastTransformation
    scaled = image.scaled(side, side, Qt.AspectRatioMode.KeepAspectRatio, mode)
    return QPixmap.fromImage(scaled)


def enlarged(image: QImage) -> QImage:
    """Return a picture in colors that can be drawn on, larger by whole pixels where it is small."""
    times = max(1, -(-_LEAST // max(image.width(), image.height(), 1)))
    drawn = image.scaled(image.width() * times, image.height() * times)
    return drawn.convertToFormat(QImage.Format.Format_RGB888)


def value_range(view: ImageView) -> tuple[float, float] | None:
    """Return the numbers that are black and white in a picture; None for one of bytes."""
    pixels = np.asarray(view.pixels)
    if pixels.dtype == np.uint8:
        return None
    return _range(pixels.astype(np.float32), view.minimum, view.maximum)


def _range(pixels: np.ndarray, low: float, high: float) -> tuple[float, float]:
    if high > low:
        return low, high
    finite = pixels[np.isfinite(pixels)]
    return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)


def _as_bytes(pixels: np.ndarray, low: float, high: float) -> np.ndarray:
    finite = np.isfinite(pixels)
    low, high = _range(pixels, low, high)
    spread = (np.where(finite, pixels, low) - low) / ((high - low) or 1.0)
    return (np.clip(spread, 0, 1) * 255 + 0.5).astype(np.uint8)
