"""Comparison of the data of runs as plain values."""

from typing import Literal

import msgspec

from engine.spec.data_version import DataVersion, VersionPart

SampleState = Literal["absent", "train", "validation", "test"]


class DifferingSample(msgspec.Struct, frozen=True, kw_only=True):
    """A sample that another run has otherwise than the first: by name, with its part and its class
    (empty for none) in the first run and in the other.
    """

    name: str
    first: SampleState
    other: SampleState
    first_class: str = ""
    other_class: str = ""


class SampleDifference(msgspec.Struct, frozen=True, kw_only=True):
    """Samples of another run beside those of the first: how many only one of them has in a part,
    and how many have another part or another class. ``samples`` is a page of all these,
    ``differing`` in number, in the order of the first run, those that only the other has last.
    """

    only_first: int
    only_other: int
    moved: int
    relabelled: int
    differing: int = 0
    samples: tuple[DifferingSample, ...] = ()

    @property
    def total(self) -> int:
        """The number of samples that differ; one that moved and has another class counts twice."""
        return self.only_first + self.only_other + self.moved + self.relabelled


class DataDifference(msgspec.Struct, frozen=True, kw_only=True):
    """The data of another run beside that of the first. ``parts`` is what differs, None where one
    has no version; ``samples`` is None where the files of one are not as they were any more.
    """

    parts: tuple[VersionPart, ...] | None
    samples: SampleDifference | None = None


class DataComparison(msgspec.Struct, frozen=True, kw_only=True):
    """The versions of the data of runs (None: the record has none), and how that of each run but
    the first differs from it.
    """

    versions: tuple[DataVersion | None, ...]
    others: tuple[DataDifference, ...]
