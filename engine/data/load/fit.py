"""What a run has learnt from its data before the first step, kept with it: the statistics by which
it is normalised, and the tokenizers by which its texts are cut.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from engine.data.load.statistics import (
    Statistics,
    read_statistics,
    statistics_file,
    write_statistics,
)
from engine.decoding import decode_json
from engine.files import UNDECODABLE, atomic_write, read_file
from engine.spec.statistics import FieldStatistics

_LONGEST = 256 << 20  # bytes of a file of tokenizers


@dataclass(frozen=True, kw_only=True)
class DataFit:
    """Statistics by field, and the contents of tokenizers by what they cut."""

    statistics: Statistics = field(default_factory=dict[str, FieldStatistics])
    tokenizers: Mapping[str, str] = field(default_factory=dict[str, str])


def read_fit(artefacts: Path) -> DataFit:
    """Return what a run keeps among its files; nothing where there is none, or a damaged file."""
    return DataFit(
        statistics=read_statistics(statistics_file(artefacts)),
        tokenizers=_read_tokenizers(_tokenizer_file(artefacts)),
    )


def write_fit(artefacts: Path, fit: DataFit, before: DataFit) -> None:
    """Keep what is not there yet among the files of a run. Raises :class:`DiagnosticError` where
    that is not possible.
    """
    if fit.statistics and fit.statistics != before.statistics:
        write_statistics(statistics_file(artefacts), fit.statistics)
    if fit.tokenizers and fit.tokenizers != before.tokenizers:
        content = msgspec.json.encode(dict(fit.tokenizers))
        atomic_write(_tokenizer_file(artefacts), content)


def _tokenizer_file(artefacts: Path) -> Path:
    return artefacts / "tokenizers.json"


def _read_tokenizers(file: Path) -> dict[str, str]:
    try:
        return decode_json(read_file(file, _LONGEST, follow=False), dict[str, str])
    except (OSError, ValueError, *UNDECODABLE):
        return {}
