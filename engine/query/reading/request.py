"""Requests to the process that reads data for a while, and its answers."""

import msgspec

from engine.diagnostics import Diagnostic
from engine.graph.model import Graph
from engine.spec.run import DataSpec, RunSpec
from engine.spec.statistics import FieldStatistics, PartStatistics, PixelCounts


class ComputeStatistics(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Measure mean and deviation of the inputs in the training part, after the transforms that
    apply to all parts, but for Normalize. ``code`` is the user's own, if the data are of it.
    """

    data: DataSpec
    code: dict[str, str] = {}
    trusted: bool = False


class ComputePartStatistics(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Measure the fields of decimal numbers in each part, after the transforms that apply to all
    parts, but for Normalize, and count what the rows of a table lack. ``code`` is the user's own,
    if the data are of it.
    """

    data: DataSpec
    code: dict[str, str] = {}
    trusted: bool = False


class CountPixels(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Count the pixels of each class in the masks of each part, as they are before transforms.
    ``code`` is the user's own, if the data are of it.
    """

    data: DataSpec
    code: dict[str, str] = {}
    trusted: bool = False


class BenchmarkLoading(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Measure how fast training batches come with several numbers of workers, and with ``graph``
    and ``spec``, the model and the whole of the run, which batches fit the memory. ``code`` is the
    user's own, if the data are of it, or the model.
    """

    data: DataSpec
    code: dict[str, str] = {}
    trusted: bool = False
    graph: Graph | None = None
    spec: RunSpec | None = None


class ReadingProgress(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """``done`` of ``count`` samples are read, or numbers of workers are tried: ``workers`` is the
    one that is tried now, -1 where samples are counted.
    """

    done: int
    count: int
    workers: int = -1


class StatisticsMeasured(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The statistics of each input of decimal numbers."""

    fields: tuple[FieldStatistics, ...]


class PartsMeasured(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The statistics of each part."""

    parts: tuple[PartStatistics, ...]


class PixelsCounted(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The pixels of each class in each part; none without masks."""

    parts: tuple[PixelCounts, ...]


class LoadingMeasured(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """How many batches a second came with a number of workers, and how long the first took.
    ``problem``: why none came.
    """

    workers: int
    batches_per_s: float = 0.0
    first_s: float = 0.0
    problem: Diagnostic | None = None


class PinningMeasured(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """How many batches a second came to a CUDA device with the suggested workers, from pageable and
    from page-locked memory. Without such a ``device`` (empty) nothing was tried. ``problem``: why
    nothing could be measured.
    """

    device: str = ""
    pageable_per_s: float = 0.0
    pinned_per_s: float = 0.0
    problem: Diagnostic | None = None


class BatchSizeFound(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Of the batch size that is ``chosen`` and of the ``largest`` power of two that fits (0: none),
    how many bytes a training step takes; how many are free on the device, and how many samples
    there are to train on. ``problem``: why it is not known.
    """

    chosen: int
    chosen_bytes: int = 0
    largest: int = 0
    largest_bytes: int = 0
    free_bytes: int = 0
    device: str = ""
    samples: int = 0
    problem: Diagnostic | None = None


class ReadingDone(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """All was measured."""


class ReadingFailed(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Nothing can be measured."""

    problems: tuple[Diagnostic, ...]


ReadingMessage = (
    ReadingProgress
    | StatisticsMeasured
    | PartsMeasured
    | PixelsCounted
    | LoadingMeasured
    | PinningMeasured
    | BatchSizeFound
    | ReadingDone
    | ReadingFailed
)
