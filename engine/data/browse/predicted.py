"""What a trained model makes of every sample: columns of numbers, kept for the next time.

They stand in the cache of this user under a name that says which checkpoint they are of and which
files it was asked about; whatever is damaged there is computed again.
"""

import hashlib
import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from engine.data.browse.column import BrowseColumn, CategoryColumn, NumberColumn, Numbers
from engine.data.read.cache import cache_folder, write_cached
from engine.data.source.source import PARTS
from engine.decoding import decode_msgpack
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.files import UNDECODABLE, read_file
from engine.spec.browse import (
    CONFIDENCE,
    CORRECT,
    IOU,
    LEARNED,
    LOSS,
    NEW,
    PARTS_OF_RUN,
    PREDICTION,
    RUN_COLUMNS,
    TRUTHS,
    ColumnKind,
    SampleColumn,
    predicted_number,
)

_VERSION = 6  # of what stands in the cache
_FOLDER, _CACHE_BYTES = "predictions", 256 << 20
_LONGEST = 128 << 20  # bytes of a file of them
_KEPT = 2
_kept: "OrderedDict[str, PredictedSamples]" = OrderedDict()
PART_NAMES = (*PARTS, NEW)
"""The parts that a run has samples in; the last is for those that came after it."""


@dataclass(frozen=True, eq=False, kw_only=True)
class PredictedSamples:
    """What a model says about the samples of a source, those in no part left out.

    ``arrays`` are of shape (samples,), by the key of their column: :data:`LOSS`,
    :data:`CONFIDENCE` and :data:`IOU` float32, :data:`LEARNED` float64 (exact steps), NaN where a
    sample has none; :data:`CORRECT` int8,
    an index into :data:`TRUTHS`; :data:`PREDICTION` int32, an index into ``classes``, or float32
    where those are empty; what is predicted for each of several numbers float32, by
    :func:`~engine.spec.browse.prediction_key`. ``parts`` (int8) are those that the run has the
    samples in, indices into :data:`PART_NAMES`, None where it has not kept them. Indices are -1
    where a sample has none.
    ``unread`` is the number of samples that could not be read, ``reason`` why not the first one.
    """

    samples: int
    classes: tuple[str, ...]
    arrays: Mapping[str, Numbers]
    parts: NDArray[np.int8] | None = None
    unread: int = 0
    reason: Diagnostic | None = None

    def columns(self) -> tuple[BrowseColumn, ...]:
        """Return the columns, in the order of :data:`RUN_COLUMNS`."""
        return tuple(self._columns())

    def _columns(self) -> Iterator[BrowseColumn]:
        numbers = [key for key in self.arrays if predicted_number(key)]
        at = RUN_COLUMNS.index(PREDICTION) + 1
        order = (*RUN_COLUMNS[:at], *numbers, *RUN_COLUMNS[at:])
        for key in order:
            values = self.arrays.get(key)
            if values is None:
                continue
            if values.dtype.kind == "f":
                info = SampleColumn(key=key, kind="number", name=predicted_number(key))
                yield NumberColumn(info=info, load=partial(np.asarray, values))
                continue
            is_truth = key == CORRECT
            kind: ColumnKind = "truth" if is_truth else "category"
            names = TRUTHS if is_truth else self.classes
            info = SampleColumn(key=key, kind=kind)
            yield CategoryColumn(info=info, load=partial(_named, names, values))


def predictions_key(checkpoint_sha256: str, files: str, parts: bytes = b"") -> str:
    """Return the name of what a checkpoint says about files (their hash), where ``parts`` say how
    the run has divided them: lower-case hex.
    """
    told = f"{_VERSION}\0{checkpoint_sha256}\0{files}\0{hashlib.blake2b(parts).hexdigest()}"
    return hashlib.blake2b(told.encode(), digest_size=16).hexdigest()


def known_predictions(key: str) -> PredictedSamples | None:
    """Return what was kept under a name, from memory or the cache; None where nothing is there.
    Whether the name asks for the parts of the run makes no difference.
    """
    key = key.removesuffix(PARTS_OF_RUN)
    found = _kept.get(key) or _read(key)
    if found is not None:
        _remember(key, found)
    return found


def parts_of_run(key: str) -> NDArray[np.int8] | None:
    """Return the part of each sample in the run whose predictions are kept under a name that asks
    for them; None where it does not, or nothing is there.
    """
    known = known_predictions(key) if key.endswith(PARTS_OF_RUN) else None
    return None if known is None else known.parts


def require_predictions(key: str, samples: int) -> PredictedSamples:
    """Return what was kept under a name about so many samples. Raises :class:`DiagnosticError` D280
    where nothing is there any more.
    """
    found = known_predictions(key)
    if found is None or found.samples != samples:
        raise DiagnosticError.of("D280")
    return found


def keep_predictions(key: str, predicted: PredictedSamples) -> None:
    """Keep predictions under a name, in memory and in the cache of this user."""
    _remember(key, predicted)
    file = _file_of(key)
    if file is None:
        return
    content = _File(
        samples=predicted.samples,
        classes=predicted.classes,
        arrays={name: values.tobytes() for name, values in predicted.arrays.items()},
        parts=b"" if predicted.parts is None else predicted.parts.tobytes(),
        unread=predicted.unread,
        reason=predicted.reason,
    )
    write_cached(file, msgspec.msgpack.encode(content), _CACHE_BYTES)


class _File(msgspec.Struct, frozen=True, kw_only=True):
    samples: int
    classes: tuple[str, ...]
    arrays: dict[str, bytes]
    parts: bytes = b""
    unread: int = 0
    reason: Diagnostic | None = None


def _remember(key: str, predicted: PredictedSamples) -> None:
    _kept[key] = predicted
    _kept.move_to_end(key)
    while len(_kept) > _KEPT:
        _kept.popitem(last=False)


def _read(key: str) -> PredictedSamples | None:
    file = _file_of(key)
    if file is None:
        return None
    try:
        content = decode_msgpack(read_file(file, _LONGEST, follow=False), _File)
        arrays = {
            name: np.frombuffer(values, _dtype(name, content.classes))
            for name, values in content.arrays.items()
        }
    except (OSError, ValueError, *UNDECODABLE):
        return None
    parts = np.frombuffer(content.parts, np.int8) if content.parts else None
    every = (*arrays.values(), *(() if parts is None else (parts,)))
    if any(len(values) != content.samples for values in every):
        return None
    return PredictedSamples(
        samples=content.samples,
        classes=content.classes,
        arrays=arrays,
        parts=parts,
        unread=content.unread,
        reason=content.reason,
    )


def _dtype(name: str, classes: tuple[str, ...]) -> type[np.number]:
    """Return what an array consists of. Raises ``ValueError`` for one that is none of ours."""
    types: dict[str, type[np.number]] = {
        LOSS: np.float32,
        CONFIDENCE: np.float32,
        IOU: np.float32,
        LEARNED: np.float64,
        CORRECT: np.int8,
        PREDICTION: np.int32 if classes else np.float32,
    }
    if predicted_number(name):
        return np.float32
    if name not in types:
        raise ValueError(name)
    return types[name]


def _file_of(key: str) -> Path | None:
    folder = cache_folder(_FOLDER) if re.fullmatch("[0-9a-f]{32}", key) else None
    return None if folder is None else folder / key


def _named(names: tuple[str, ...], codes: Numbers) -> tuple[tuple[str, ...], Numbers]:
    return names, codes
