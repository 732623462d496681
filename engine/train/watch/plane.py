"""Planes that are laid through the inputs of a model: over two columns, or through three samples.

The plane through three samples, and its axes by Gram and Schmidt, are those of "Can Neural Nets
Learn the Same Model Twice?" (Somepalli et al., CVPR 2022).
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from msgspec.structs import replace
from torch import Tensor
from typing_extensions import override

from engine.data.seed import mixed_seed
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.runs.record.surface import SurfacePoint
from engine.spec.data import FieldInfo
from engine.spec.plane import Plane, PlaneAxis, axis_name, is_decimal, is_text, plane_axes
from engine.train.losses import Batch, Outputs
from engine.train.training import Training
from engine.train.watch.embedded import looked_up, reads_vectors_alone, replaced_vectors

Span = tuple[float, float]
_MARGIN = 0.12  # of the width of the data, on each side
_AROUND = 0.3  # of the width of the triangle, on each side
_SAMPLES = 600  # that the width is taken from where samples are read one by one
_FEW = 60  # the same where other inputs, such as pictures, are read with them
_CANDIDATES = 2000  # of which three of different classes are looked for
_READ = 12  # the same where the class is known when a sample is read
_TRIES = 8
_PARALLEL = 1e-4  # how far the third sample is from the line of two, as a share of their distance
_CORNERS = 3


class PlaneLayout(ABC):
    """A plane, laid: where it reaches, what lies on it, and the inputs of its points."""

    plane: Plane
    x: Span
    y: Span
    names: tuple[str, ...] = ()
    points: tuple[SurfacePoint, ...] = ()
    embedded: tuple[str, ...] = ()
    held: tuple[str, ...] = ()

    def __init__(self, training: Training) -> None:
        self._training = training

    @abstractmethod
    def begin(self) -> None:
        """Lay the plane anew where it depends on the weights. Raises :class:`DiagnosticError`."""

    @property
    @abstractmethod
    def numbers(self) -> int:
        """How many numbers the inputs of a point have."""

    @abstractmethod
    def outputs(self, x: Tensor, y: Tensor) -> Outputs:
        """Return what the model answers at some points of the plane."""

    def _forward(self, batch: Batch) -> Outputs:
        return self._training.model(*[batch[name] for name in self._training.input_fields])


class ColumnPlane(PlaneLayout):
    """The plane of two numbers of the inputs; all others are those of one sample."""

    def __init__(self, training: Training, plane: Plane, fields: Sequence[FieldInfo]) -> None:
        super().__init__(training)
        choices = plane_axes(fields)
        self._axes = tuple(plane.axes) or choices[:2]
        if len(set(self._axes)) != 2 or not set(self._axes) <= set(choices):
            raise DiagnosticError.of("V045")
        values = _column_values(training, choices, is_alone=_is_of_numbers(fields, choices))
        self.x, self.y = (_reach(values[choices.index(axis)], _MARGIN) for axis in self._axes)
        is_pair = len(choices) == 2 and len(fields) == 1
        sample = _typical(training, values) if is_pair or not plane.samples else plane.samples[0]
        self._raw = _read(training, (sample,))
        self.names = tuple(axis_name(fields, axis) for axis in self._axes)
        if not is_pair:
            at = [float(self._raw[axis.field].reshape(-1)[axis.column]) for axis in self._axes]
            target = _targets(training, self._raw)[0]
            self.points = (SurfacePoint(x=at[0], y=at[1], sample=sample, target=target),)
        samples = () if is_pair else (sample,)
        self.plane = replace(plane, kind="columns", axes=self._axes, samples=samples)

    @override
    def begin(self) -> None:
        """Do nothing: the numbers of the data are the same in each step."""

    @property
    @override
    def numbers(self) -> int:
        return sum(self._raw[name].numel() for name in self._training.input_fields)

    @override
    def outputs(self, x: Tensor, y: Tensor) -> Outputs:
        batch: Batch = {}
        for name in self._training.input_fields:
            values = self._raw[name].expand(len(x), *self._raw[name].shape[1:])
            for axis, numbers in zip(self._axes, (x, y), strict=True):
                if axis.field == name:
                    values = values.clone()
                    values.reshape(len(x), -1)[:, axis.column] = numbers.to(values)
            batch[name] = self._training.normalized(name, values)
        return self._forward(batch)


class SamplePlane(PlaneLayout):
    """The plane through three samples, as the model takes them."""

    def __init__(self, training: Training, plane: Plane, fields: Sequence[FieldInfo]) -> None:
        super().__init__(training)
        self._decimal = [field.name for field in fields if is_decimal(field)]
        self._texts = [field.name for field in fields if is_text(field)]
        self._is_tried = False
        if plane.samples and len(set(plane.samples)) != _CORNERS:
            raise DiagnosticError.of("V044")
        samples, raw = self._span(plane)
        self._samples = tuple(zip(samples, _targets(training, raw), strict=True))
        self.plane = replace(plane, kind="samples", axes=(), samples=samples)

    @override
    def begin(self) -> None:
        spanned = {name: self._rows[name] for name in self._decimal}
        if self._texts:
            spanned |= self._vectors()
        flat = _flat(spanned)
        if flat is None:
            raise DiagnosticError.of("V043")
        self._flat = flat
        self.embedded = tuple(name for name in self._texts if name in spanned)
        self.held = tuple(
            name
            for name, rows in self._rows.items()
            if name not in spanned and not bool((rows == rows[:1]).all())
        )
        xs, ys = zip(*flat.corners, strict=True)
        self.x, self.y = (_reach(torch.tensor(ends), _AROUND) for ends in (xs, ys))
        self.points = tuple(
            SurfacePoint(x=x, y=y, sample=sample, target=target)
            for (x, y), (sample, target) in zip(flat.corners, self._samples, strict=True)
        )

    @property
    @override
    def numbers(self) -> int:
        flat = self._flat
        vectors = 0 if flat is None else sum(each.numel() for each in flat.origin.values())
        return max(vectors, sum(rows[0].numel() for rows in self._rows.values()))

    @override
    def outputs(self, x: Tensor, y: Tensor) -> Outputs:
        assert self._flat is not None
        spanned = self._flat.points(x, y)
        batch = {
            name: spanned[name]
            if name in self._decimal
            else rows[:1].expand(len(x), *rows.shape[1:]).contiguous()
            for name, rows in self._rows.items()
        }
        if not self.embedded:
            return self._forward(batch)
        vectors = {name: spanned[name] for name in self.embedded}
        with replaced_vectors(self._training.model, batch, vectors):
            return self._forward(batch)

    def _span(self, plane: Plane) -> tuple[tuple[int, ...], Batch]:
        """Return the samples, by number and before normalisation, having taken them."""
        attempt = 0
        while True:
            samples = plane.samples or _three(self._training, plane.draw, attempt)
            raw = _read(self._training, samples)
            self._rows = {
                name: self._training.normalized(name, raw[name])
                for name in self._training.input_fields
            }
            self._flat = _flat({name: self._rows[name] for name in self._decimal})
            attempt += 1
            is_last = bool(plane.samples) or bool(self._texts) or attempt == _TRIES
            if is_last or self._flat is not None:
                return samples, raw

    def _vectors(self) -> Batch:
        """Return the vectors of the tokens; none where there are decimal numbers to go by and the
        tokens say more than their vectors. Raises :class:`DiagnosticError` V042 where those are all
        that there is.
        """
        model = self._training.model
        found = looked_up(model, self._forward, self._rows, self._texts)
        if not self._is_tried and found:
            if not reads_vectors_alone(model, self._forward, self._rows, found):
                found = {}
                self._texts = []
            self._is_tried = True
        if not found and not self._decimal:
            raise DiagnosticError.of("V042")
        return found


@dataclass(frozen=True)
class _Flat:
    """The plane through three samples: its first one, the directions of length 1, and where the
    samples lie on it.
    """

    origin: Batch
    along: tuple[Batch, Batch]
    corners: tuple[Span, ...]

    def points(self, x: Tensor, y: Tensor) -> Batch:
        """Return the inputs at some points."""
        placed: Batch = {}
        for name, origin in self.origin.items():
            axes = [-1] + [1] * (origin.ndim - 1)
            first, second = (each[name] for each in self.along)
            at_x, at_y = (each.to(first).reshape(axes) for each in (x, y))
            placed[name] = (origin.to(first) + at_x * first + at_y * second).to(origin.dtype)
        return placed


def _flat(spanned: Batch) -> _Flat | None:
    """Return the plane through three samples (3, ...); None where they lie on one line."""
    wide = {name: rows.float() for name, rows in spanned.items()}
    b = {name: rows[1:2] - rows[:1] for name, rows in wide.items()}
    c = {name: rows[2:3] - rows[:1] for name, rows in wide.items()}
    length = _dot(b, b) ** 0.5
    if not length > 0:
        return None
    e = {name: each / length for name, each in b.items()}
    along = _dot(c, e)
    rest = {name: each - along * e[name] for name, each in c.items()}
    height = _dot(rest, rest) ** 0.5
    if not height > _PARALLEL * max(length, abs(along)):
        return None
    up = {name: each / height for name, each in rest.items()}
    origin = {name: rows[:1] for name, rows in spanned.items()}
    return _Flat(origin, (e, up), ((0.0, 0.0), (length, 0.0), (along, height)))


def _dot(one: Batch, other: Batch) -> float:
    return sum(float((one[name].double() * other[name].double()).sum()) for name in one)


def _read(training: Training, samples: Sequence[int]) -> Batch:
    """Return samples before normalisation. Raises :class:`DiagnosticError` V041 where there are
    none of these numbers, and what reading raises.
    """
    most = training.data.source.samples
    for sample in samples:
        if not 0 <= sample < most:
            params: dict[str, str | int | float] = {"number": sample, "most": most - 1}
            raise DiagnosticError(Diagnostic(code="V041", params=params))
    return training.data.raw(list(samples))


def _targets(training: Training, raw: Batch) -> list[float | None]:
    """Return the class or the number of each sample that the model is compared with."""
    values = raw.get(training.comparison.field)
    rows = next(iter(raw.values()))
    if values is None or values.numel() != len(rows):
        return [None] * len(rows)
    return [float(each) for each in values.flatten()]


def _three(training: Training, draw: int, attempt: int) -> tuple[int, ...]:
    """Return three training samples, of different classes where there are as many.

    Raises :class:`DiagnosticError` V046 where there are no three.
    """
    train = training.data.indices["train"]
    if len(train) < _CORNERS:
        raise DiagnosticError.of("V046")
    generator = torch.Generator().manual_seed(mixed_seed(draw, attempt))
    order = train[torch.randperm(len(train), generator=generator)][:_CANDIDATES].tolist()
    name = training.comparison.field
    if training.comparison.task == "regression" or not name:
        return tuple(order[:_CORNERS])
    labels = training.data.source.column(name)
    if labels is None:
        order = order[:_READ]
        numbers = _targets(training, _read(training, order))
    else:
        numbers = labels[order].reshape(len(order), -1)[:, 0].tolist()
    first = {number: at for at, number in reversed(list(enumerate(numbers)))}
    places = sorted(first.values())[:_CORNERS]
    places += [at for at in range(len(order)) if at not in places][: _CORNERS - len(places)]
    return tuple(order[at] for at in places)


def _is_of_numbers(fields: Sequence[FieldInfo], axes: Sequence[PlaneAxis]) -> bool:
    """Return whether a model reads little else than numbers that can be axes."""
    named = {axis.field for axis in axes}
    return all(field.name in named or not is_decimal(field) for field in fields)


def _column_values(
    training: Training, axes: Sequence[PlaneAxis], *, is_alone: bool
) -> tuple[Tensor, ...]:
    """Return what the data has of each axis: of all samples where that is in memory."""
    data, read = training.data, dict[str, Tensor]()
    for name in dict.fromkeys(axis.field for axis in axes):
        is_changed = data.preparation is not None and data.preparation.may_change(name)
        values = None if is_changed else data.source.column(name)
        if values is None:  # of samples that are read one by one, such as those of own code
            read |= data.examples("train", _SAMPLES if is_alone else _FEW)
            values = read[name]
        read[name] = values.reshape(len(values), -1)
    return tuple(read[axis.field][:, axis.column] for axis in axes)


def _typical(training: Training, values: Sequence[Tensor]) -> int:
    """Return the training sample, of the first ones, whose numbers are closest to the medians."""
    train = training.data.indices["train"][:_SAMPLES]
    is_whole = all(len(each) == training.data.source.samples for each in values)
    train = train if is_whole else train[: min(map(len, values))]
    distance = torch.zeros(len(train), dtype=torch.float64)
    for each in values:
        numbers = (each[train] if is_whole else each[: len(train)]).double()
        scale = numbers.std(correction=0)
        distance += ((numbers - numbers.median()) / scale.clamp(min=1e-12)).abs().nan_to_num()
    return int(train[int(distance.argmin())])


def _reach(values: Tensor, margin: float) -> Span:
    """Return from where to where a plane reaches, so that values lie well within."""
    values = values[values.isfinite()]
    low, high = values.amin(), values.amax()
    width = (high - low) * margin
    if not width > 0:
        width = low.abs().clamp(min=1.0) * margin
    return float(low - width), float(high + width)
