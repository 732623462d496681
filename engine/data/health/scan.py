"""Scan of all samples: the key of each input, and of each picture its size and look.

What is kept takes about a hundred bytes a sample; a picture is read, looked at and forgotten.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import adaptive_avg_pool2d

from engine.data.health.subject import BLOCK, Subject
from engine.data.read.image import Least, decode_sized, read_bytes
from engine.data.seed import one_thread
from engine.data.source.sample_digest import DIGEST_BYTES, digests_of_keys, equal_numbers
from engine.diagnostics import DiagnosticError

ROWS, COLUMNS = 8, 9
"""Rows and columns of the small gray picture that is kept of each."""

_LEAST = Least(2 * ROWS, 2 * COLUMNS)
_PICTURE_BLOCK = 32


@dataclass(frozen=True, kw_only=True)
class Pictures:
    """Pictures by sample: height and width (int32, 0 for one that cannot be read), and ``looks``,
    gray and very small (uint8, of shape (samples, ROWS, COLUMNS)). ``are_files`` says whether they
    are read from files of their own, ``damaged`` why each of some cannot be read.
    """

    heights: NDArray[np.int32]
    widths: NDArray[np.int32]
    looks: NDArray[np.uint8]
    are_files: bool
    damaged: dict[int, DiagnosticError] = field(default_factory=dict[int, DiagnosticError])


@dataclass(frozen=True, kw_only=True)
class Scan:
    """What is known of all samples. ``groups`` are the numbers (int64) of equal inputs, -1 for what
    could not be read; ``pictures`` is None without pictures.
    """

    groups: NDArray[np.int64]
    pictures: Pictures | None = None


def scan(subject: Subject) -> Generator[int, None, Scan]:
    """Look at every sample once; yields how many more were looked at."""
    digests = np.zeros((subject.samples, DIGEST_BYTES), np.uint8)
    is_read = np.zeros(subject.samples, bool)
    pictures: Pictures | None = None
    field = subject.picture
    if field is None:
        yield from _scan_keys(subject, digests, is_read)
    else:
        pictures = Pictures(
            heights=np.zeros(subject.samples, np.int32),
            widths=np.zeros(subject.samples, np.int32),
            looks=np.zeros((subject.samples, ROWS, COLUMNS), np.uint8),
            are_files=subject.samples > 0 and subject.source.file(field.name, 0) is not None,
        )
        yield from _scan_pictures(subject, pictures, digests, is_read)
    return Scan(groups=_numbered(digests, is_read), pictures=pictures)


def _scan_keys(
    subject: Subject, digests: NDArray[np.uint8], is_read: NDArray[np.bool_]
) -> Generator[int, None, None]:
    for start in range(0, subject.samples, BLOCK):
        end = min(start + BLOCK, subject.samples)
        _note(digests, is_read, _keys(subject, _included(subject, start, end)))
        yield end - start


def _included(subject: Subject, start: int, end: int) -> list[int]:
    return (np.flatnonzero(subject.is_included[start:end]) + start).tolist()


def _keys(subject: Subject, indices: Sequence[int]) -> dict[int, bytes]:
    """Return the keys of samples; where one of them cannot be read, those of the others."""
    if not indices:
        return {}
    try:
        keys = subject.source.input_keys if subject.has_targets else subject.source.keys
        return dict(zip(indices, keys(indices), strict=True))
    except DiagnosticError:
        if len(indices) == 1:
            return {}
        middle = len(indices) // 2
        return _keys(subject, indices[:middle]) | _keys(subject, indices[middle:])


def _note(digests: NDArray[np.uint8], is_read: NDArray[np.bool_], keys: dict[int, bytes]) -> None:
    if not keys:
        return
    rows = np.fromiter(keys, np.int64, len(keys))
    digests[rows] = digests_of_keys(keys.values())
    is_read[rows] = True


def _scan_pictures(
    subject: Subject,
    pictures: Pictures,
    digests: NDArray[np.uint8],
    is_read: NDArray[np.bool_],
) -> Generator[int, None, None]:
    name = "" if subject.picture is None else subject.picture.name
    for start in range(0, subject.samples, _PICTURE_BLOCK):
        end = min(start + _PICTURE_BLOCK, subject.samples)
        rest: list[int] = []
        with one_thread():
            for index in _included(subject, start, end):
                file = subject.source.file(name, index)
                if file is None:
                    rest.append(index)
                    continue
                try:
                    key, size, look = _of_file(file)
                except DiagnosticError as error:
                    pictures.damaged[index] = error
                    continue
                pictures.heights[index], pictures.widths[index] = size
                pictures.looks[index] = look
                _note(digests, is_read, {index: key})
            _note(digests, is_read, _scan_values(subject, rest, pictures))
        yield end - start


def _of_file(file: Path) -> tuple[bytes, tuple[int, int], NDArray[np.uint8]]:
    """Return the content of a picture, its size, and how it looks."""
    content = read_bytes(file)
    gray, size = decode_sized(content, str(file), "gray", _LEAST)
    scale = 1 if gray.dtype == torch.uint8 else 255
    return content, size, _look(gray.unsqueeze(0).float() * scale)[0]


def _scan_values(subject: Subject, indices: list[int], pictures: Pictures) -> dict[int, bytes]:
    """Look at pictures that are read as values, once: a stream does not go back. Return the keys of
    those that can be read.
    """
    assert subject.picture is not None
    if not indices:
        return {}
    try:
        values = subject.source.read(indices)
    except DiagnosticError as error:
        if len(indices) == 1:
            pictures.damaged[indices[0]] = error
            return {}
        middle = len(indices) // 2
        first = _scan_values(subject, indices[:middle], pictures)
        return first | _scan_values(subject, indices[middle:], pictures)
    for index, value in zip(indices, values[subject.picture.name], strict=True):
        if value.ndim == 3 and value.numel():
            pictures.heights[index], pictures.widths[index] = value.shape[-2:]
            pictures.looks[index] = _look(_spread(value).mean(0).reshape(1, 1, *value.shape[-2:]))
    keys = subject.source.keys_of_inputs(indices, values)
    targets = [info.name for info in subject.source.infos if info.role == "target"]
    for name in () if subject.has_targets else targets:
        values_of_all = values[name]
        keys = [
            key + values_of_all[at].contiguous().numpy().tobytes() for at, key in enumerate(keys)
        ]
    return dict(zip(indices, keys, strict=True))


def _spread(values: Tensor) -> Tensor:
    """Return the numbers of a picture as float32 from 0 to 255, whatever they are in the data."""
    numbers = values.float().nan_to_num()
    if values.dtype == torch.uint8:
        return numbers
    low, high = float(numbers.min()), float(numbers.max())
    if low >= 0 and high <= 1:
        return numbers * 255
    return (numbers - low) / max(high - low, 1e-9) * 255


def _look(gray: Tensor) -> NDArray[np.uint8]:
    """Return gray pictures, float32 from 0 to 255 of shape (pictures, 1, H, W), very small."""
    small = adaptive_avg_pool2d(gray, (ROWS, COLUMNS)).squeeze(1)
    return small.round_().clamp_(0, 255).to(torch.uint8).numpy()


def _numbered(digests: NDArray[np.uint8], is_read: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the numbers of equal digests, in the order of their first samples."""
    groups = np.full(len(digests), -1, np.int64)
    groups[is_read] = equal_numbers(digests[is_read])
    return groups
