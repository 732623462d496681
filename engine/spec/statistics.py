"""Statistics of the values of a field: per channel of an image, per column of anything else."""

from typing import Literal

import msgspec


class FieldStatistics(msgspec.Struct, frozen=True, kw_only=True):
    """Mean, standard deviation (of all values, without correction) and ends of each channel or
    column of a field. ``samples`` were read of the ``total`` samples of the part; ``missing`` of
    them, by column, have no value, and what is filled in does not count: empty where none is
    missing, and a column that has no value at all has zeros. ``columns`` are the names of the
    columns where the data knows more of them than the field: those of a time series.
    """

    name: str
    mean: tuple[float, ...]
    std: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    samples: int
    total: int
    missing: tuple[int, ...] = ()
    columns: tuple[str, ...] = ()

    def is_empty(self, column: int) -> bool:
        """Return whether all samples that were read lack a value in a column."""
        return column < len(self.missing) and self.missing[column] == self.samples > 0

    @property
    def is_sampled(self) -> bool:
        """Whether not all samples were read."""
        return self.samples < self.total


class PixelCounts(msgspec.Struct, frozen=True, kw_only=True):
    """How many pixels of the masks of a part are of each of the ``classes``, by their numbers, and
    how many are of none.
    """

    part: Literal["train", "validation", "test"]
    classes: tuple[int, ...]
    without_class: int = 0


class MissingValues(msgspec.Struct, frozen=True, kw_only=True):
    """How many of the ``rows`` of a table have no value in a column."""

    column: str
    missing: int
    rows: int


class PartStatistics(msgspec.Struct, frozen=True, kw_only=True):
    """The ``samples`` of a part, the statistics of their fields of decimal numbers, and which
    values their rows of a table lack.
    """

    part: Literal["train", "validation", "test"]
    samples: int
    fields: tuple[FieldStatistics, ...] = ()
    missing: tuple[MissingValues, ...] = ()


class DataStatistics(msgspec.Struct, frozen=True, kw_only=True):
    """The statistics of the fields of decimal numbers in the training part, and the pixels of each
    class in each part, where these are predicted. ``missing`` are the values that the columns of a
    table lack, those left out counted, too; ``parts`` say all of each part.
    """

    fields: tuple[FieldStatistics, ...] = ()
    pixels: tuple[PixelCounts, ...] = ()
    missing: tuple[MissingValues, ...] = ()
    parts: tuple[PartStatistics, ...] = ()
