"""Map of samples: where they lie in the plane, and what they can be coloured by."""

from typing import Literal

import msgspec

from engine.spec.run import DataSpec

MapMethod = Literal["pca", "tsne"]
MapPhase = Literal["read", "neighbors", "tsne"]

MOST_SAMPLES = 20_000
MOST_FEATURES = 1024
"""Numbers of a sample that are projected; more are brought down to so many."""


class MapColumn(msgspec.Struct, frozen=True, kw_only=True):
    """A number of each sample: ``values`` are float32, (samples,); ``names`` say what they stand
    for where they are categories. ``key`` is that of the samples table (``SampleColumn.key``) where
    the column is in no field; ``ends`` are the least and the greatest over all samples of the parts
    where those are known. With ``is_date`` the numbers are days since 1970-01-01.
    """

    name: str
    values: bytes
    names: tuple[str, ...] = ()
    key: str = ""
    ends: tuple[float, float] | None = None
    is_date: bool = False


class MapPictures(msgspec.Struct, frozen=True, kw_only=True):
    """Small pictures of the samples: uint8 of ``shape`` (samples, channels, height, width)."""

    shape: tuple[int, int, int, int]
    pixels: bytes


class SampleMap(msgspec.Struct, frozen=True, kw_only=True):
    """Samples that were drawn from the parts of a data set, by their principal components.

    ``indices`` are those in the source (int64), ``parts`` the numbers of their parts (int8), and
    ``xy`` where they lie (float32, (samples, 2)); ``shares`` of the variance lie along the two
    axes. ``labels`` (int32) are indices into ``classes``, ``predictions`` those of the model; both
    are empty where there are none. ``neighbors`` (int32, (samples, k)) are the nearest other
    samples by all ``features`` numbers, the nearest first, as positions in the map. ``total`` is
    how many samples the parts have; ``unreadable`` of those drawn could not be read. ``features``
    were made of ``width`` numbers. ``step`` and ``checkpoint`` are those of the model.
    ``has_run_parts`` says that the parts are those of a run, not of the next one.
    """

    data: DataSpec
    indices: bytes
    parts: bytes
    xy: bytes
    shares: tuple[float, float]
    neighbors: bytes
    neighbor_count: int
    total: int
    features: int
    width: int
    unreadable: int = 0
    classes: tuple[str, ...] = ()
    labels: bytes = b""
    predictions: bytes = b""
    columns: tuple[MapColumn, ...] = ()
    texts: tuple[str, ...] = ()
    pictures: MapPictures | None = None
    checkpoint: str = ""
    step: int = 0
    has_run_parts: bool = False


class MapStep(msgspec.Struct, frozen=True, kw_only=True):
    """How far a map is: ``done`` of ``total`` samples or iterations of a phase. ``map`` comes once,
    as soon as the samples have their principal components; ``xy`` (as there) are the positions that
    t-SNE has found since.
    """

    phase: MapPhase
    done: int
    total: int
    is_done: bool = False
    map: SampleMap | None = None
    xy: bytes = b""
