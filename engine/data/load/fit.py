"""What a run has learnt from its data before the first step, kept with it: the statistics by which
it is normalised, the tokenizers by which its texts are cut, what the numbers stand for, and the
kinds by which the columns of its table are read, and which samples are in which part.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import msgspec

from engine.data.load.field_names import FieldNames
from engine.data.load.statistics import (
    Statistics,
    read_statistics,
    statistics_file,
    write_statistics,
)
from engine.data.split.kept import KeptParts
from engine.decoding import decode_json, decode_msgpack
from engine.files import UNDECODABLE, atomic_write, read_file
from engine.spec.statistics import FieldStatistics

_Kept = TypeVar("_Kept")
_LONGEST = 256 << 20  # bytes of a file of tokenizers, or of names
_MOST_PARTS = 4 << 30  # bytes of a file of parts: 9 for each sample


@dataclass(frozen=True, kw_only=True)
class DataFit:
    """Statistics by field, the contents of tokenizers by what they cut, names by field, kinds
    by column, the parts of samples that may come and go, and how ``difficult`` each training sample
    is by the losses of an earlier run.
    """

    statistics: Statistics = field(default_factory=dict[str, FieldStatistics])
    tokenizers: Mapping[str, str] = field(default_factory=dict[str, str])
    names: Mapping[str, FieldNames] = field(default_factory=dict[str, FieldNames])
    kinds: Mapping[str, str] = field(default_factory=dict[str, str])
    parts: KeptParts | None = None
    difficult: tuple[float, ...] = ()


def read_fit(artefacts: Path) -> DataFit:
    """Return what a run keeps among its files; nothing where there is none, or a damaged file."""
    return DataFit(
        statistics=read_statistics(statistics_file(artefacts)),
        tokenizers=_read(_tokenizer_file(artefacts), str),
        names=_read(_names_file(artefacts), FieldNames),
        kinds=_read(_kinds_file(artefacts), str),
        parts=read_parts(artefacts),
        difficult=_read_difficulty(artefacts),
    )


def read_parts(artefacts: Path) -> KeptParts | None:
    """Return the parts that a run keeps; nothing where there are none, or a damaged file."""
    try:
        content = read_file(_parts_file(artefacts), _MOST_PARTS, follow=False)
        kept = decode_msgpack(content, KeptParts)
    except (OSError, ValueError, *UNDECODABLE):
        return None
    return kept if kept.is_sound else None


def write_fit(artefacts: Path, fit: DataFit, before: DataFit) -> None:
    """Keep what is not there yet, or has changed since, among the files of a run. Raises
    :class:`DiagnosticError` where that is not possible.
    """
    if fit.statistics and fit.statistics != before.statistics:
        write_statistics(statistics_file(artefacts), fit.statistics)
    if fit.tokenizers and fit.tokenizers != before.tokenizers:
        atomic_write(_tokenizer_file(artefacts), msgspec.json.encode(dict(fit.tokenizers)))
    if fit.names and not before.names:
        atomic_write(_names_file(artefacts), msgspec.json.encode(dict(fit.names)))
    if fit.kinds and not before.kinds:
        atomic_write(_kinds_file(artefacts), msgspec.json.encode(dict(fit.kinds)))
    if fit.parts is not None and fit.parts != before.parts:
        atomic_write(_parts_file(artefacts), msgspec.msgpack.encode(fit.parts))
    if fit.difficult and fit.difficult != before.difficult:
        atomic_write(_difficulty_file(artefacts), msgspec.msgpack.encode(fit.difficult))


def _tokenizer_file(artefacts: Path) -> Path:
    return artefacts / "tokenizers.json"


def _names_file(artefacts: Path) -> Path:
    return artefacts / "fields.json"


def _kinds_file(artefacts: Path) -> Path:
    return artefacts / "columns.json"


def _parts_file(artefacts: Path) -> Path:
    return artefacts / "parts.msgpack"


def _difficulty_file(artefacts: Path) -> Path:
    return artefacts / "difficulty.msgpack"


def _read_difficulty(artefacts: Path) -> tuple[float, ...]:
    try:
        content = read_file(_difficulty_file(artefacts), _MOST_PARTS, follow=False)
        return decode_msgpack(content, tuple[float, ...])
    except (OSError, ValueError, *UNDECODABLE):
        return ()


def _read(file: Path, kind: type[_Kept]) -> dict[str, _Kept]:
    try:
        return decode_json(read_file(file, _LONGEST, follow=False), dict[str, kind])
    except (OSError, ValueError, *UNDECODABLE):
        return {}
