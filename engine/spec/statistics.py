"""Statistics of the values of a field: per channel of an image, per column of anything else."""

import msgspec


class FieldStatistics(msgspec.Struct, frozen=True, kw_only=True):
    """Mean, standard deviation (of all values, without correction) and ends of each channel or
    column of a field. ``samples`` were read of the ``total`` samples of the training part.
    """

    name: str
    mean: tuple[float, ...]
    std: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    samples: int
    total: int

    @property
    def is_sampled(self) -> bool:
        """Whether not all samples were read."""
        return self.samples < self.total


class DataStatistics(msgspec.Struct, frozen=True, kw_only=True):
    """The statistics of the fields of decimal numbers in the training part."""

    fields: tuple[FieldStatistics, ...] = ()
