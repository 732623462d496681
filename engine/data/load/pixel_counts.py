"""Pixels of each class in the masks of each part, read a few at a time and kept."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Mapping

import msgspec
import torch
from torch import Tensor

from engine.data.read.cache import cache_folder, write_cached
from engine.data.seed import one_thread
from engine.data.source.source import Part, Source
from engine.decoding import decode_json
from engine.files import UNDECODABLE, read_file
from engine.spec.data import FieldInfo
from engine.spec.statistics import PixelCounts

Tell = Callable[[int, int], object]
"""Told how many samples of how many are read."""

_AT_ONCE = 16  # samples
_FOLDER, _CACHE_BYTES, _LONGEST = "pixel-counts", 4 << 20, 1 << 20
_VERSION = 1  # of what stands in the cache
_KEPT = 8
_kept: OrderedDict[str, tuple[Source, tuple[PixelCounts, ...]]] = OrderedDict()


def mask_field(source: Source) -> FieldInfo | None:
    """Return the field of masks that are predicted; None without one."""
    found = (info for info in source.infos if info.kind == "mask" and info.role == "target")
    return next(found, None)


def class_counts(info: FieldInfo, mask: Tensor) -> Tensor:
    """Return how many pixels of a mask (int64, of any shape) are of each class, int64; those of no
    class are left out.
    """
    numbers = mask.flatten()
    known = numbers[(numbers >= 0) & (numbers < len(info.classes))]
    return known.bincount(minlength=len(info.classes))


def known_pixels(source: Source, indices: Mapping[Part, Tensor]) -> tuple[PixelCounts, ...] | None:
    """Return the pixels of each class in the masks of each part (int64 indices), where these were
    counted before; none without masks, None where they were not.
    """
    return () if mask_field(source) is None else _found(_key(source, indices))


def count_pixels(
    source: Source, indices: Mapping[Part, Tensor], tell: Tell | None = None
) -> tuple[PixelCounts, ...]:
    """Return what :func:`known_pixels` does, after reading the masks where that is not known.

    Raises :class:`~engine.diagnostics.DiagnosticError` where one cannot be read.
    """
    info = mask_field(source)
    if info is None:
        return ()
    key = _key(source, indices)
    found = _found(key)
    if found is None:
        found = _counted(source, info, indices, tell)
        _write(key if source.version() else "", found)
    _kept[key] = (source, found)
    while len(_kept) > _KEPT:
        _kept.popitem(last=False)
    return found


def _counted(
    source: Source, info: FieldInfo, indices: Mapping[Part, Tensor], tell: Tell | None
) -> tuple[PixelCounts, ...]:
    total, done = sum(map(len, indices.values())), 0
    parts: list[PixelCounts] = []
    for part, index in indices.items():
        counts, pixels = torch.zeros(len(info.classes), dtype=torch.int64), 0
        for start in range(0, len(index), _AT_ONCE):
            chosen = index[start : start + _AT_ONCE].tolist()
            with one_thread():
                for mask in source.read_field(info.name, chosen):
                    counts += class_counts(info, mask)
                    pixels += mask.numel()
            done += len(chosen)
            if tell is not None:
                tell(done, total)
        known = tuple(counts.tolist())
        parts.append(PixelCounts(part=part, classes=known, without_class=pixels - sum(known)))
    return tuple(parts)


def _key(source: Source, indices: Mapping[Part, Tensor]) -> str:
    """Return what stands for the masks of the parts of a source."""
    told = (_VERSION, type(source).__name__, source.version() or id(source), source.infos)
    digest = hashlib.blake2b(repr(told).encode("utf-8", "surrogateescape"), digest_size=16)
    for part, index in indices.items():
        digest.update(part.encode() + index.contiguous().numpy().tobytes())
    return digest.hexdigest()


def _found(key: str) -> tuple[PixelCounts, ...] | None:
    if key in _kept:
        return _kept[key][1]
    folder = cache_folder(_FOLDER)
    if folder is None:
        return None
    try:
        content = read_file(folder / f"{key}.json", _LONGEST, follow=False)
        return decode_json(content, tuple[PixelCounts, ...])
    except (OSError, ValueError, *UNDECODABLE):
        return None


def _write(key: str, found: tuple[PixelCounts, ...]) -> None:
    folder = cache_folder(_FOLDER) if key else None
    if folder is not None:
        write_cached(folder / f"{key}.json", msgspec.json.encode(found), _CACHE_BYTES)
