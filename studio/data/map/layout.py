"""Samples of a map with their positions, as arrays, and what is asked about them."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.spec.sample_map import MapColumn, SampleMap

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Layout:
    """A map that was made. ``xy`` (samples, 2) is where the samples lie now; without ``is_tsne``
    these are their principal components.
    """

    map: SampleMap
    xy: Floats
    is_tsne: bool = False

    @classmethod
    def of(cls, sample_map: SampleMap) -> "Layout":
        """Return the samples by their principal components."""
        return cls(sample_map, _positions(sample_map.xy))

    def moved(self, xy: bytes) -> "Layout":
        """Return the same samples where t-SNE puts them."""
        return replace(self, xy=_positions(xy), is_tsne=True)

    def __len__(self) -> int:
        """Return the number of samples."""
        return len(self.xy)

    def plane(self, axes: tuple[str, str]) -> Floats:
        """Return where the samples lie by two columns (samples, 2); NaN where one is missing or
        infinite.
        """
        columns = {column.name: column for column in self.map.columns}
        values = [np.frombuffer(columns[axis].values, np.float32) for axis in axes]
        xy = np.stack(values, axis=1).astype(np.float64)
        return np.where(np.isfinite(xy), xy, np.nan)

    def reach(self, axes: tuple[str, str]) -> Floats | None:
        """Return the corners (2, 2) between which all samples lie by two columns, those that are
        not drawn too; None where that is not known.
        """
        columns = {column.name: column for column in self.map.columns}
        ends = [columns[axis].ends for axis in axes]
        return None if None in ends else np.asarray(ends, np.float64).T

    @cached_property
    def indices(self) -> Integers:
        """The positions of the samples in the source."""
        return np.frombuffer(self.map.indices, np.int64)

    @cached_property
    def parts(self) -> Integers:
        """The parts of the samples: training, validation, test."""
        return np.frombuffer(self.map.parts, np.int8).astype(np.int64)

    @cached_property
    def labels(self) -> Integers | None:
        """The classes of the samples, where they have some."""
        return _integers(self.map.labels)

    @cached_property
    def predictions(self) -> Integers | None:
        """The classes that the model predicts, where it does."""
        return _integers(self.map.predictions)

    @cached_property
    def is_wrong(self) -> NDArray[np.bool_] | None:
        """Which samples the model takes for another class."""
        if self.labels is None or self.predictions is None:
            return None
        return self.labels != self.predictions

    @cached_property
    def neighbors(self) -> Integers:
        """The nearest other samples of each, (samples, k), the nearest first."""
        found = np.frombuffer(self.map.neighbors, np.int32).astype(np.int64)
        return found.reshape(len(self), self.map.neighbor_count)

    @cached_property
    def oddness(self) -> Floats | None:
        """The share of its nearest neighbours that are of another class than a sample."""
        if self.labels is None:
            return None
        return (self.labels[self.neighbors] != self.labels[:, None]).mean(axis=1)

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """The names of all classes, also of those that only the model knows."""
        names = self.map.classes
        if self.predictions is None:
            return names
        most = int(self.predictions.max(initial=-1)) + 1
        return (*names, *(str(number) for number in range(len(names), most)))

    @cached_property
    def columns(self) -> tuple[tuple[MapColumn, NDArray[np.float32]], ...]:
        """The columns, each with its numbers."""
        columns = self.map.columns
        return tuple((each, np.frombuffer(each.values, np.float32)) for each in columns)

    @cached_property
    def pictures(self) -> NDArray[np.uint8] | None:
        """Small pictures of the samples (samples, channels, height, width), where they are some."""
        pictures = self.map.pictures
        if pictures is None:
            return None
        return np.frombuffer(pictures.pixels, np.uint8).reshape(pictures.shape)


def _positions(xy: bytes) -> Floats:
    return np.frombuffer(xy, np.float32).astype(np.float64).reshape(-1, 2)


def _integers(values: bytes) -> Integers | None:
    return np.frombuffer(values, np.int32).astype(np.int64) if values else None
