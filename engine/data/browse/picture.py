"""Pictures of samples, small enough to be looked at: read from files by their thumbnails, or made
of the numbers of a field.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import torch
from msgspec.structs import replace
from torch import Tensor

from engine.data.read.fit import as_bytes, fit_image, fit_mask, fitted_size
from engine.data.read.object_shapes import shape_bytes
from engine.data.read.thumbnail import LONGEST_SIDE, Thumbnails
from engine.data.source.box_table import BoxTable
from engine.data.source.source import Source
from engine.diagnostics import DiagnosticError
from engine.spec.browse import SamplePicture, SamplePictures
from engine.spec.data import IGNORED, ROW_KINDS, FieldInfo
from engine.spec.sound_picture import sound_pixels
from engine.spec.video_picture import video_pixels

_MOST_FIELDS = 4
_LOOKED_AT = 64  # samples, to tell which numbers are black and white
_CHANNELS = (1, 3)
_MOST, _NONE = 254, 255  # classes
_MOST_BOXES = 1000  # that are drawn on a picture


def picture_fields(source: Source) -> tuple[FieldInfo, ...]:
    """Return the fields that are shown as pictures, inputs first, masks behind what they lie over,
    at most four.
    """
    fields = [
        info
        for info in source.infos
        if (info.kind == "image" and len(info.shape) == 3)
        or info.kind in ("mask", "sound", "video")
    ]
    fields.sort(key=lambda info: (info.role != "input", info.kind == "mask"))
    return tuple(fields[:_MOST_FIELDS])


class Pictures:
    """Pictures of the samples of a source."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._fields = picture_fields(source)
        self._has_shapes = any(info.kind == "box_masks" for info in source.infos)
        self._has_mask = self._has_shapes or any(info.kind == "mask" for info in self._fields)
        self._boxes = source.boxes()
        self._names = next((i.classes for i in source.infos if i.kind == "box_classes"), ())
        self._box_fields = {i.kind: i.name for i in source.infos if i.kind in ROW_KINDS}
        self._points = source.stored_points()
        self._point_names = next((i.point_names for i in source.infos if i.mirror), ())
        self._spans: dict[str, tuple[float, float]] = {}

    def of(self, indices: Sequence[int], side: int) -> tuple[SamplePictures, ...]:
        """Return the pictures of some samples, no side longer than ``side`` (1 to 1024); a sample
        that cannot be read has what is wrong with it.
        """
        return tuple(self._of_sample(index, side) for index in indices)

    def of_read(self, index: int, values: Mapping[str, Tensor], side: int) -> SamplePictures:
        """Return the pictures of a sample, as :meth:`of` does, of its ``values`` by field."""
        return self._of_sample(index, side, values)

    def _of_sample(
        self, index: int, side: int, values: Mapping[str, Tensor] | None = None
    ) -> SamplePictures:
        side = min(max(side, 1), LONGEST_SIDE)
        try:
            has_values = values is not None
            files = [self._file(info, index, has_values=has_values) for info in self._fields]
            if values is None:
                read = {} if all(files) else self._source.read([index])
                values = {name: each[0] for name, each in read.items()}
            pictures = tuple(
                self._from_values(info, values[info.name], side)
                if file is None
                else file_picture(info.name, file, side)
                for info, file in zip(self._fields, files, strict=True)
            )
        except DiagnosticError as error:
            return SamplePictures(index=index, problems=error.problems)
        if self._boxes is not None and pictures and not self._has_shapes:
            pictures = (self._boxed(pictures[0], self._boxes, index), *pictures[1:])
        elif self._box_fields and pictures and values:
            pictures = (self._drawn(pictures[0], values), *pictures[1:])
        elif self._points is not None and pictures:
            pictures = (self._pointed(pictures[0], self._points[index]), *pictures[1:])
        return SamplePictures(index=index, pictures=pictures)

    def _boxed(self, picture: SamplePicture, table: BoxTable, index: int) -> SamplePicture:
        """Return the picture of a sample with its boxes; it is shown whole, as it is stored."""
        return self._with_boxes(picture, table.shares_of(index), table.labels_of(index))

    def _pointed(self, picture: SamplePicture, points: Tensor) -> SamplePicture:
        """Return the picture of a sample with the points in it; it is shown whole, as stored."""
        shares = tuple((x, y) for x, y in points.tolist())
        return replace(picture, points=shares, names=self._point_names)

    def _drawn(self, picture: SamplePicture, values: Mapping[str, Tensor]) -> SamplePicture:
        """Return the picture of a sample with the boxes that were read with it."""
        height, width = values[picture.field].shape[-2:]
        boxes, labels = (values[self._box_fields[kind]] for kind in ("boxes", "box_classes"))
        shares = boxes / torch.tensor([width, height, width, height])
        picture = self._with_boxes(picture, shares, labels)
        masks = self._box_fields.get("box_masks")
        if masks is None:
            return picture
        return replace(picture, shapes=shape_bytes(values[masks], picture.height, picture.width))

    def _with_boxes(self, picture: SamplePicture, shares: Tensor, labels: Tensor) -> SamplePicture:
        return replace(
            picture,
            classes=self._names,
            boxes=tuple(tuple(row) for row in shares[:_MOST_BOXES].tolist()),
            labels=tuple(labels[:_MOST_BOXES].tolist()),
        )

    def _file(self, info: FieldInfo, index: int, *, has_values: bool) -> Path | None:
        """Return the file that holds a picture; None where a mask has to fit on it as it is read,
        which may be a part of it, for a sound, which is drawn, and for a video whose frames are
        known.
        """
        is_drawn = self._has_mask or info.kind == "sound" or (info.kind == "video" and has_values)
        return None if is_drawn else self._source.file(info.name, index)

    def _from_values(self, info: FieldInfo, values: Tensor, side: int) -> SamplePicture:
        if info.kind == "mask":
            height, width = fitted_size(values.shape[-2], values.shape[-1], side)
            if values.ndim > len((height, width)):  # a plane for each class
                values = values.argmax(dim=0).where(values.amax(dim=0) > 0, IGNORED)
            mask = fit_mask(values, height, width, "stretch", outside=IGNORED)
            known = mask.clamp(0, _MOST).where(mask >= 0, _NONE)
            return _picture(info, known.to(torch.uint8).unsqueeze(0))
        if info.kind == "sound":
            pixels = torch.from_numpy(sound_pixels(values.numpy(), side))
            return _picture(info, pixels.permute(2, 0, 1))
        if info.kind == "video":
            pixels = torch.from_numpy(video_pixels(values.numpy(), side))
            return _picture(info, pixels.permute(2, 0, 1))
        if values.shape[0] not in _CHANNELS:
            values = values[: 3 if values.shape[0] > max(_CHANNELS) else 1]
        if values.dtype != torch.uint8:
            low, high = self._span(info)
            values = as_bytes((values.to(torch.float32).nan_to_num(low) - low) / (high - low))
        height, width = fitted_size(values.shape[-2], values.shape[-1], side)
        return _picture(info, fit_image(values, height, width, "stretch"))

    def _span(self, info: FieldInfo) -> tuple[float, float]:
        """Return the numbers that are black and white, by samples from the first to the last: 0 and
        1 where they lie between.
        """
        if info.name not in self._spans:
            last = self._source.samples - 1
            chosen = sorted({round(last * at / (_LOOKED_AT - 1)) for at in range(_LOOKED_AT)})
            every = self._source.read(chosen)[info.name]
            finite = torch.cat([each[each.isfinite()].reshape(-1) for each in every]).float()
            ends = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
            is_usual = ends[0] >= 0 and ends[1] <= 1
            low, high = (0.0, 1.0) if is_usual else ends
            self._spans[info.name] = (low, high if high > low else low + 1)
        return self._spans[info.name]


def file_picture(field: str, file: Path, side: int) -> SamplePicture:
    """Return the picture of a file, which ``field`` is read from, no side longer than ``side``.

    Raises :class:`DiagnosticError` where it cannot be read.
    """
    made = _thumbnails().fitted(file, side)
    return SamplePicture(
        field=field,
        kind="image",
        width=made.width,
        height=made.height,
        channels=3,
        pixels=made.pixels,
    )


def _picture(info: FieldInfo, pixels: Tensor) -> SamplePicture:
    channels, height, width = pixels.shape
    return SamplePicture(
        field=info.name,
        kind="mask" if info.kind == "mask" else "image",
        width=width,
        height=height,
        channels=3 if channels == 3 else 1,
        pixels=pixels.permute(1, 2, 0).contiguous().numpy().tobytes(),
        classes=info.classes if info.kind == "mask" else (),
    )


@cache
def _thumbnails() -> Thumbnails:
    return Thumbnails.of_user()
