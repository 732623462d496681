"""Samples drawn for a map: read once, a few at a time, and kept as features and what is shown.

What is kept does not depend on the size of a sample: features (``MOST_FEATURES`` numbers), a small
picture, a short text, some columns.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

import torch
from torch import Tensor

from engine.data.browse.predicted import PART_NAMES
from engine.data.read.fit import fit_image, fitted_size
from engine.data.source.source import Source, Values
from engine.data.transform.chain import image_numbers
from engine.diagnostics import DiagnosticError
from engine.query.embedding.feature import FeatureBlock, equalize
from engine.spec.data import FieldInfo
from engine.spec.sample_map import MOST_SAMPLES, MapColumn, MapPictures

_BATCH_NUMBERS = 1 << 22
_LARGEST_BATCH, _UNKNOWN_BATCH = 256, 4  # samples; of those whose size is not known
_PICTURE_BYTES = 24 << 20
_SMALLEST_SIDE, _LARGEST_SIDE = 16, 64  # pixels of a small picture
_LONGEST_TEXT = 240
_MOST_COLUMNS = 64
_FEWEST = 3

Read = Callable[[Sequence[int]], Mapping[str, Values]]
Looks = Callable[[Mapping[str, Values]], tuple[tuple[FeatureBlock, ...], Tensor | None]]
"""Makes features of the values of some samples, and what a model predicts for each (classes)."""


class Drawing:
    """Samples of a source by their features. ``indices`` (int64) and ``parts`` (int64, an index
    into ``PART_NAMES``) are those that could be read; the rest is there when :meth:`read` is
    through.
    """

    def __init__(
        self,
        source: Source,
        infos: Sequence[FieldInfo],
        *,
        chosen: Mapping[str, Tensor],
        count: int,
        seed: int,
        read: Read,
        look: Looks,
    ) -> None:
        self._source, self._infos = source, infos
        self._read, self._look = read, look
        self.total = sum(map(len, chosen.values()))
        indices = torch.cat([*chosen.values(), torch.empty(0, dtype=torch.int64)])
        numbers = [PART_NAMES.index(part) for part in chosen]
        parts = torch.tensor(numbers, dtype=torch.int64).repeat_interleave(
            torch.tensor([len(each) for each in chosen.values()], dtype=torch.int64)
        )
        generator = torch.Generator().manual_seed(seed)
        drawn = torch.randperm(self.total, generator=generator)[: min(count, MOST_SAMPLES)]
        drawn = drawn.sort().values
        self.indices, self.parts = indices[drawn], parts[drawn]
        self.unreadable = 0
        self.is_read = False
        self.width = 0
        self.matrix = torch.empty(0)
        self.predictions: Tensor | None = None
        self.texts: list[str] = []
        self._first_problem: DiagnosticError | None = None
        self._columns: dict[str, Tensor] = {}
        self._labels: Tensor | None = None
        self._pictures: Tensor | None = None
        self._label = next((info for info in infos if is_label(info)), None)
        self._image = next((info for info in infos if info.kind == "image"), None)

    def read(self) -> Iterator[int]:
        """Go through the samples; yield how many were tried.

        Raises :class:`DiagnosticError`: D270 for fewer than three, D271 where they have no input
        that is numbers, and what the source says where none can be read.
        """
        if len(self.indices) < _FEWEST:
            raise DiagnosticError.of("D270", count=len(self.indices))
        is_kept = torch.zeros(len(self.indices), dtype=torch.bool)
        blocks: tuple[FeatureBlock, ...] = ()
        size, kept = self._batch_size(), 0
        for start in range(0, len(self.indices), size):
            for rows, values in self._readable(self.indices[start : start + size].tolist()):
                blocks, predicted = self._look(values)
                self._keep(kept, rows, values, blocks, predicted)
                kept += len(rows)
                is_kept[start : start + size] |= torch.isin(
                    self.indices[start : start + size], torch.tensor(rows)
                )
            if not kept and self._first_problem is not None:
                raise self._first_problem
            yield min(start + size, len(self.indices))
        self._finish(is_kept, kept, blocks)

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes of the target; empty where it is none."""
        return () if self._label is None else self._label.classes

    @property
    def labels(self) -> Tensor | None:
        """The class of each sample (int64), where the target is one."""
        return self._labels

    def columns(self) -> tuple[MapColumn, ...]:
        """Return the numbers of the samples by column."""
        categories = {
            name: names
            for info in self._infos
            for name, names in zip(info.entry_names, info.vocabularies, strict=False)
        }
        return tuple(
            MapColumn(name=name, values=as_bytes(values), names=categories.get(name, ()))
            for name, values in self._columns.items()
        )

    def pictures(self) -> MapPictures | None:
        """Return small pictures of the samples, where they are pictures."""
        if self._pictures is None:
            return None
        low, high = (float(end) for end in self._pictures.aminmax())
        result = torch.empty(self._pictures.shape, dtype=torch.uint8)
        for row, picture in zip(result, self._pictures, strict=True):
            row.copy_(((picture.float() - low) * (255 / ((high - low) or 1))).round_())
        shape = (result.shape[0], result.shape[1], result.shape[2], result.shape[3])
        return MapPictures(shape=shape, pixels=result.numpy().tobytes())

    def _batch_size(self) -> int:
        shapes = [info.shape for info in self._infos]
        if any(size < 0 for shape in shapes for size in shape):
            return _UNKNOWN_BATCH
        return max(1, min(_LARGEST_BATCH, _BATCH_NUMBERS // max(1, sum(map(math.prod, shapes)))))

    def _readable(self, rows: list[int]) -> Iterator[tuple[list[int], Mapping[str, Values]]]:
        """Yield samples with their values: all at once, or one by one where some are damaged."""
        try:
            yield rows, self._read(rows)
        except DiagnosticError as error:
            self._first_problem = self._first_problem or error
            for row in rows if len(rows) > 1 else ():
                try:
                    values = self._read([row])
                except DiagnosticError:
                    continue  # counted by what is missing in the end
                yield [row], values

    def _keep(
        self,
        at: int,
        rows: list[int],
        values: Mapping[str, Values],
        blocks: tuple[FeatureBlock, ...],
        predicted: Tensor | None,
    ) -> None:
        if not blocks:
            raise DiagnosticError.of("D271", field="data.source")
        features = torch.cat([block.values for block in blocks], dim=1)
        span = slice(at, at + len(rows))
        if not self.matrix.numel():
            self.width = sum(block.width for block in blocks)
            self.matrix = torch.empty(len(self.indices), features.shape[1])
        self.matrix[span] = features
        if predicted is not None:
            if self.predictions is None:
                self.predictions = torch.full((len(self.indices),), -1)
            self.predictions[span] = predicted
        if self._label is not None and self._label.name in values:
            if self._labels is None:
                self._labels = torch.full((len(self.indices),), -1)
            self._labels[span] = torch.as_tensor(values[self._label.name])
        self._keep_columns(span, values)
        self._keep_pictures(span, values)
        self.texts += [self._text(row) for row in rows]

    def _keep_columns(self, span: slice, values: Mapping[str, Values]) -> None:
        for info in self._infos:
            field = values.get(info.name)
            if not _has_columns(info, has_label=self._label is not None):
                continue
            if not isinstance(field, Tensor):
                continue
            titles = info.entry_names
            room = _MOST_COLUMNS - len(self._columns.keys() - set(titles))
            numbers = field.reshape(len(field), -1).T[:room]
            for title, column in zip(titles, numbers, strict=False):
                if title not in self._columns:
                    self._columns[title] = torch.empty(len(self.indices))
                self._columns[title][span] = column.float()

    def _keep_pictures(self, span: slice, values: Mapping[str, Values]) -> None:
        field = None if self._image is None else values.get(self._image.name)
        if field is None or field[0].ndim != 3:
            return
        channels = 3 if len(field[0]) >= 3 else 1
        largest = math.isqrt(_PICTURE_BYTES // (channels * len(self.indices)))
        side = min(max(largest, _SMALLEST_SIDE), _LARGEST_SIDE)
        height, width = side, side
        if isinstance(field, Tensor):
            height, width = fitted_size(field.shape[2], field.shape[3], side)
        small = [
            fit_image(image_numbers(each[:channels]).float(), height, width, "pad")
            for each in field
        ]
        if self._pictures is None:
            shape = (len(self.indices), channels, height, width)
            self._pictures = torch.empty(shape, dtype=torch.float16)
        self._pictures[span] = torch.stack(small).nan_to_num_()

    def _text(self, row: int) -> str:
        """Return what is written in a sample: its sentence, the path of its file."""
        text = "\n".join(dict.fromkeys(self._source.texts(row).values()))
        return text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 1]}…"

    def _finish(self, is_kept: Tensor, kept: int, blocks: tuple[FeatureBlock, ...]) -> None:
        """Leave out the room of what could not be read, and make features comparable."""
        if kept < _FEWEST:
            assert self._first_problem is not None
            raise self._first_problem
        self.unreadable = len(self.indices) - kept
        self.indices, self.parts = self.indices[is_kept], self.parts[is_kept]
        self.matrix = self.matrix[:kept]
        if self.predictions is not None:
            self.predictions = self.predictions[:kept]
        if self._labels is not None:
            self._labels = self._labels[:kept]
        if self._pictures is not None:
            self._pictures = self._pictures[:kept]
        self._columns = {name: values[:kept] for name, values in self._columns.items()}
        equalize(self.matrix, blocks)
        self.is_read = True


def is_label(info: FieldInfo) -> bool:
    """Return whether a field is the class of a sample."""
    return info.kind == "class" and info.role == "target" and not info.shape


def as_bytes(values: Tensor, dtype: torch.dtype = torch.float32) -> bytes:
    """Return numbers as bytes of a dtype."""
    return values.to(dtype).contiguous().numpy().tobytes()


def _has_columns(info: FieldInfo, *, has_label: bool) -> bool:
    """Return whether a field is numbers that samples can be coloured by; the target of a binary
    loss is the label once more.
    """
    if info.role == "target" and has_label:
        return False
    is_number = info.kind == "scalar" and not info.words
    return is_number or info.kind in ("vector", "point", "categories")
