"""Pictures that are put into a trained model: one on the pad, further ones as their files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

from engine.query.results.request import ModelInput, ModelInputs
from studio.i18n import translate
from widgets.images.view_model import ImageView

_CHANNELS = (1, 3)


@dataclass(frozen=True, kw_only=True)
class FurtherPicture:
    """A picture beside the one that is drawn: the field it is put into, and how it is shown."""

    field: str
    image: ImageView


def pad_field(inputs: ModelInputs) -> ModelInput | None:
    """Return the field that can be drawn: a picture of one or three channels."""
    return next((field for field in inputs.fields if _is_picture(field)), None)


def further_pictures(inputs: ModelInputs) -> tuple[ModelInput, ...]:
    """Return the other fields that pictures are put into."""
    first = pad_field(inputs)
    return tuple(field for field in inputs.fields if field is not first and _is_picture(field))


def drawn_values(field: ModelInput, pixels: NDArray[np.float32]) -> tuple[float, ...]:
    """Return pixels from 0 to 1 in the range that they have in the data."""
    return tuple((field.low + pixels.ravel() * (field.high - field.low)).tolist())


def example_values(inputs: ModelInputs) -> tuple[float, ...]:
    """Return the numbers of the picture of the sample; none where the model reads no picture."""
    field = pad_field(inputs)
    return () if field is None else field.example


def shown_picture(inputs: ModelInputs, numbers: Sequence[float]) -> QImage | None:
    """Return the numbers of a picture as an image, where the model reads one."""
    field = pad_field(inputs)
    if field is None:
        return None
    pixels = picture_bytes(field, numbers)
    height, width = pixels.shape[:2]
    return QImage(pixels.data, width, height, 3 * width, QImage.Format.Format_RGB888).copy()


def picture_bytes(field: ModelInput, numbers: Sequence[float]) -> NDArray[np.uint8]:
    """Return the numbers of a picture as bytes of shape (H, W, 3)."""
    values = np.asarray(numbers, np.float32).reshape(field.info.shape)
    spread = (values - field.low) / ((field.high - field.low) or 1.0)
    rows = np.broadcast_to(spread, (3, *field.info.shape[1:])).transpose(1, 2, 0)
    return np.ascontiguousarray((np.clip(rows, 0, 1) * 255).round().astype(np.uint8))


def further_examples(inputs: ModelInputs) -> dict[str, tuple[float, ...]]:
    """Return the numbers of the further pictures of the sample, by field."""
    return {field.info.name: field.example for field in further_pictures(inputs)}


def present_pictures(
    inputs: ModelInputs, values: Mapping[str, tuple[float, ...]], files: Mapping[str, str]
) -> tuple[FurtherPicture, ...]:
    """Return the further pictures, with what the files that they are from are called."""
    sample = translate("Playground", "A sample of the training data")
    return tuple(
        FurtherPicture(
            field=field.info.name,
            image=ImageView(
                pixels=np.ascontiguousarray(
                    picture_bytes(field, values[field.info.name]).transpose(2, 0, 1)
                ),
                label=files.get(field.info.name, sample),
            ),
        )
        for field in further_pictures(inputs)
        if field.info.name in values
    )


def fitted_values(field: ModelInput, image: QImage) -> tuple[float, ...]:
    """Return an image as the numbers of a field whose pictures are no files, stretched to their
    size.
    """
    channels, height, width = field.info.shape
    mode, smooth = Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode
    kind = QImage.Format.Format_Grayscale8 if channels == 1 else QImage.Format.Format_RGB888
    small = image.scaled(width, height, mode, smooth.SmoothTransformation).convertToFormat(kind)
    rows = np.frombuffer(small.constBits(), np.uint8).reshape(height, small.bytesPerLine())
    pixels = rows[:, : width * channels].reshape(height, width, channels).transpose(2, 0, 1)
    return drawn_values(field, pixels.astype(np.float32) / np.float32(255))


def _is_picture(field: ModelInput) -> bool:
    return field.info.kind == "image" and field.info.shape[0] in _CHANNELS
