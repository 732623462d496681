"""Request to write the predictions of a checkpoint to a file, and what is told of it."""

from collections.abc import Mapping
from typing import Literal, get_args

import msgspec

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.query.request import Split
from engine.spec.technique import ViewKind

PredictionFormat = Literal["csv", "parquet", "npy", "npz", "jsonl"]
FORMATS: tuple[PredictionFormat, ...] = get_args(PredictionFormat)
"""The formats of files of predictions, which are the endings of their names."""

_BY_ENDING: Mapping[str, PredictionFormat] = {each: each for each in FORMATS}

OnDamaged = Literal["project", "skip", "stop"]
DecimalChoice = Literal["auto", "point", "comma"]

FIRST = 20
"""How many predictions a report has."""


class PredictFile(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Write what the model of a checkpoint predicts for a ``part`` of the data of its run, or for
    ``data``: the path of a file or folder without targets. Each is read and prepared as the data of
    the run is in evaluation.

    ``checkpoint`` is ``best``, ``last`` or a file name. ``output`` ends in one of :data:`FORMATS`;
    what is there is replaced with ``overwrite`` alone. Without one they go in ``format`` to whoever
    asks. ``batch_size`` 0 is that of the run,
    ``device`` empty its device; ``views`` of each sample, of a ``view_kind``, are those of the run
    where nothing is said. ``on_damaged`` says whether samples that cannot be read are left
    out: ``project`` does what the settings of the data say. ``decimal`` is the decimal mark of
    ``data`` that is a table: ``auto`` finds it. ``trusted`` lets custom code run, but what is
    ``banned``: what hung or crashed a process before (``engine.custom.watchdog``).
    """

    run_folder: str
    checkpoint: str = "best"
    data: str = ""
    part: Split | None = None
    output: str = ""
    format: PredictionFormat = "csv"
    overwrite: bool = False
    views: int = 0
    view_kind: ViewKind | None = None
    batch_size: int = 0
    device: str = ""
    on_damaged: OnDamaged = "project"
    decimal: DecimalChoice = "auto"
    trusted: bool = False
    banned: dict[str, str] = {}


class PredictionProgress(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """So many samples are predicted, of ``total`` (0: not known). Before the first one, ``found``
    says how many files of a folder have been looked at.
    """

    done: int
    total: int
    found: int = 0


class PredictionPiece(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Predictions in the format of the request, as they come, where it names no file."""

    data: bytes


class PredictionReport(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """What was written. ``skipped`` samples could not be read, ``skips`` are the findings about the
    first of them; ``notices`` are what else is worth to know. ``columns`` and ``rows`` are the
    first predictions as they stand in the file.
    """

    run: str
    checkpoint: str
    step: int
    output: str
    samples: int
    skipped: int = 0
    skips: tuple[Diagnostic, ...] = ()
    notices: tuple[Diagnostic, ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    folder: str = ""


class PredictionDone(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """All is written."""


class PredictionFailed(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Why nothing was written."""

    problems: tuple[Diagnostic, ...]


PredictionMessage = (
    PredictionProgress | PredictionPiece | PredictionReport | PredictionDone | PredictionFailed
)


def format_of(output: str) -> PredictionFormat:
    """Return the format that the name of a file asks for. Raises :class:`DiagnosticError` P050 for
    one that is none of :data:`FORMATS`.
    """
    ending = output.rpartition(".")[2].lower()
    found = _BY_ENDING.get(ending)
    if found is None:
        raise DiagnosticError.of("P050", file=output[-200:])
    return found
