"""Statistics of the training part, read sample by sample: memory does not grow with their number,
and the same samples give the same bits whatever computes beside it.
"""

import hashlib
import math
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import torch
from torch import Tensor

from engine.data.load.part import prepared
from engine.data.read.cache import cache_folder, write_cached
from engine.data.seed import one_thread
from engine.data.source.source import Source
from engine.data.transform.chain import Chain
from engine.decoding import decode_json
from engine.files import UNDECODABLE, atomic_write, read_file
from engine.spec.data import FieldInfo
from engine.spec.statistics import FieldStatistics

Statistics = Mapping[str, FieldStatistics]
"""The statistics of fields by name."""

Gaps = Mapping[str, Tensor]
"""Which entries (bool) of all samples are filled in, of fields by name: (samples, entries)."""

NO_GAPS: Gaps = {}

Tell = Callable[[int, int], object]
"""Told how many samples of how many are read."""

_NUMBERS = 40_000_000  # of all values that are read at most
_LEAST_SAMPLES = 2_000  # of those, however large one is
_CHUNK_NUMBERS = 2_000_000  # read at once
_FOLDER, _CACHE_BYTES = "statistics", 4 << 20
_VERSION = 1  # of what stands in the cache
_LONGEST = 1 << 20  # bytes of a file of them
_KEPT = 8
_kept: OrderedDict[str, tuple[Source, dict[str, FieldStatistics]]] = OrderedDict()


def measure_fields(
    source: Source,
    training: Tensor,
    chain: Chain | None,
    infos: Sequence[FieldInfo],
    tell: Tell | None = None,
    *,
    is_single: bool = False,
    gaps: Gaps = NO_GAPS,
) -> dict[str, FieldStatistics]:
    """Return the statistics of fields (as ``infos`` describe them after ``chain``) in the training
    samples (int64 indices), after the transforms of the evaluation.

    Of many large samples some are drawn, always the same. With ``is_single`` they may have
    different sizes and are read one by one: what fills a batch up does not count. What stands in
    ``gaps`` does not count either. Raises
    :class:`DiagnosticError` where a sample cannot be read or transformed.
    """
    if not infos or not len(training):
        return {}
    size = max(sum(math.prod(max(axis, 1) for axis in info.shape) for info in infos), 1)
    chosen = _chosen(training, max(_NUMBERS // size, _LEAST_SAMPLES))
    step = 1 if is_single else max(_CHUNK_NUMBERS // size, 1)
    moments = {info.name: _Moments() for info in infos}
    for start in range(0, len(chosen), step):
        if tell is not None:
            tell(start, len(chosen))
        read = chosen[start : start + step]
        values = prepared(source, read.tolist(), chain, 0, 0)
        with one_thread():
            for info in infos:
                columns = _columns(info, values[info.name])
                gap = gaps.get(info.name)
                if gap is None:
                    moments[info.name].add(columns)
                else:
                    moments[info.name].add_known(columns, ~gap[read].T)
    if tell is not None:
        tell(len(chosen), len(chosen))
    return {
        name: each.statistics(name, len(chosen), len(training)) for name, each in moments.items()
    }


def known_statistics(
    source: Source,
    training: Tensor,
    chain: Chain | None,
    infos: Sequence[FieldInfo],
    transforms: Sequence[object],
    *,
    tell: Tell | None = None,
    is_single: bool = False,
    gaps: Gaps = NO_GAPS,
) -> dict[str, FieldStatistics]:
    """Return what :func:`measure_fields` does, from memory or the cache of this user where the same
    samples were measured before; ``transforms`` say what the chain is.
    """
    if not infos or not len(training):
        return {}
    version = source.version()
    told = (_VERSION, type(source).__name__, version or id(source), *gaps, *infos, *transforms)
    digest = hashlib.blake2b(repr(told).encode("utf-8", "surrogateescape"), digest_size=16)
    digest.update(training.contiguous().numpy().tobytes())
    key = digest.hexdigest()
    if key not in _kept:
        _kept[key] = (
            source,
            _cached(
                version and key,
                lambda: measure_fields(
                    source, training, chain, infos, tell, is_single=is_single, gaps=gaps
                ),
            ),
        )
    _kept.move_to_end(key)
    while len(_kept) > _KEPT:
        _kept.popitem(last=False)
    return _kept[key][1]


def statistics_file(artefacts: Path) -> Path:
    """Return where a run keeps the statistics by which it normalises its data, so that whatever is
    done with its model later does the same.
    """
    return artefacts / "normalization.json"


def read_statistics(file: Path) -> dict[str, FieldStatistics]:
    """Return the statistics in a file; none where there is no such file, or a damaged one."""
    try:
        return decode_json(read_file(file, _LONGEST, follow=False), dict[str, FieldStatistics])
    except (OSError, ValueError, *UNDECODABLE):
        return {}


def write_statistics(file: Path, statistics: Statistics) -> None:
    """Write statistics into a file. Raises :class:`DiagnosticError` where that is not possible."""
    atomic_write(file, msgspec.json.encode(dict(statistics)))


def _cached(name: str, measure: Callable[[], Statistics]) -> dict[str, FieldStatistics]:
    """Return statistics from the cache, where they have a name there; else measure them."""
    folder = cache_folder(_FOLDER) if name else None
    file = None if folder is None else folder / f"{name}.json"
    known = {} if file is None else read_statistics(file)
    if known:
        return known
    measured = dict(measure())
    if file is not None:
        write_cached(file, msgspec.json.encode(measured), _CACHE_BYTES)
    return measured


@dataclass
class _Moments:
    """Mean and sum of squared differences, merged sample by sample (Chan et al. 1979). ``known``
    is how many values of each channel count, where not all do.
    """

    count: int = 0
    known: Tensor | None = None
    mean: Tensor | None = None
    squares: Tensor | None = None
    low: Tensor | None = None
    high: Tensor | None = None

    def add(self, values: Tensor) -> None:
        """Take values of shape (channels, count) in, float64."""
        count = values.shape[1]
        if not count:
            return
        mean = values.mean(dim=1)
        squares = (values - mean[:, None]).square().sum(dim=1)
        low, high = values.amin(dim=1), values.amax(dim=1)
        if self.mean is None or self.squares is None or self.low is None or self.high is None:
            self.count, self.mean, self.squares, self.low, self.high = (
                count, mean, squares, low, high,
            )  # fmt: skip
            return
        total = self.count + count
        difference = mean - self.mean
        self.mean = self.mean + difference * (count / total)
        self.squares = self.squares + squares + difference.square() * (self.count * count / total)
        self.low, self.high = torch.minimum(self.low, low), torch.maximum(self.high, high)
        self.count = total

    def add_known(self, values: Tensor, is_known: Tensor) -> None:
        """Take values of shape (channels, count) in that are known (bool), float64; a channel of
        which none is known stays as it is, with zeros at first.
        """
        none = torch.zeros(len(values), dtype=values.dtype)
        before = none if self.known is None else self.known
        old = none if self.mean is None else self.mean
        squared = none if self.squares is None else self.squares
        lowest = none + torch.inf if self.low is None else self.low
        highest = none - torch.inf if self.high is None else self.high
        self.count += values.shape[1]
        count = is_known.sum(dim=1).double()
        total = before + count
        mean = torch.where(is_known, values, 0.0).sum(dim=1) / count.clamp(min=1)
        squares = torch.where(is_known, values - mean[:, None], 0.0).square().sum(dim=1)
        share = count / total.clamp(min=1)
        difference = torch.where(count > 0, mean - old, 0.0)
        self.mean = old + difference * share
        self.squares = squared + squares + difference.square() * before * share
        self.low = torch.minimum(lowest, torch.where(is_known, values, torch.inf).amin(dim=1))
        self.high = torch.maximum(highest, torch.where(is_known, values, -torch.inf).amax(dim=1))
        self.known = total

    def statistics(self, name: str, samples: int, total: int) -> FieldStatistics:
        """Return what was found."""
        empty = torch.zeros(0, dtype=torch.float64)
        squares = empty if self.squares is None else self.squares
        known = self.known
        count = max(self.count, 1) if known is None else known.clamp(min=1)
        if known is not None and self.low is not None and self.high is not None:
            self.low, self.high = (
                torch.where(known > 0, each, 0.0) for each in (self.low, self.high)
            )
        values = {
            "mean": self.mean,
            "std": (squares / count).sqrt(),
            "low": self.low,
            "high": self.high,
        }
        numbers = {
            key: tuple((empty if value is None else value).tolist())
            for key, value in values.items()
        }
        missing = () if known is None else tuple((self.count - known).long().tolist())
        return FieldStatistics(name=name, samples=samples, total=total, missing=missing, **numbers)


def _columns(info: FieldInfo, values: Tensor) -> Tensor:
    """Return values (samples, ...) as (channels, count): channels of an image, a sound or a video,
    columns of a series or of a vector, one for all entries of vectors whose sizes vary.
    """
    values = values.to(torch.float64)
    if info.has_channels:
        return values.transpose(0, 1).flatten(1)
    if info.kind == "sequence" and values.ndim > 2:
        return values.flatten(0, -2).T
    if -1 in info.shape:
        return values.reshape(1, -1)
    return values.flatten(1).T if values.ndim > 1 else values[None]


def _chosen(training: Tensor, most: int) -> Tensor:
    """Return the training samples, or as many of them as are read, in their order."""
    if len(training) <= most:
        return training
    generator = torch.Generator().manual_seed(0)
    positions = torch.randperm(len(training), generator=generator)[:most].sort().values
    return training[positions]
