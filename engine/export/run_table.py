"""All that a run recorded as one long table, in CSV or Parquet: a row for each point of each curve
and for each number that statistics of its layers have. Settings and events lie beside it as JSON.
"""

import csv
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from engine.diagnostics import DiagnosticError
from engine.export.job import ExportJob
from engine.export.run_record import RunRecord, run_record
from engine.export.written import Written
from engine.files import WriteTarget, atomic_write
from engine.runs.record.statistic import Statistic, StatisticHistory
from engine.runs.record.store import RunStore

COLUMNS = ("series", "step", "time", "value")
BESIDE = ".run.json"
_ROWS = 10_000  # at once


class Part(NamedTuple):
    """The rows of one series: its name, and a step, the wall-clock seconds and a number of each."""

    name: str
    steps: NDArray[np.int64]
    times: NDArray[np.float64]
    values: NDArray[np.float64]


def write_csv(job: ExportJob, output: Path) -> Written:
    """Write the table as CSV. Raises :class:`DiagnosticError` R613 if it reads back otherwise."""
    return _written(job, output, "CSV", _csv, _read_csv)


def write_parquet(job: ExportJob, output: Path) -> Written:
    """Write the table as Parquet. Raises as :func:`write_csv`."""
    return _written(job, output, "Parquet", _parquet, _read_parquet)


def table_parts(job: ExportJob, record: RunRecord) -> list[Part]:
    """Return the curves (``train/loss``) and the statistics (``weight/conv1.weight/norm``) of a
    run, without the numbers that are not known.
    """
    parts = [Part(each.tag, each.steps, each.times, each.values) for each in record.curves]
    history = StatisticHistory()
    with RunStore.open(job.run) as store:
        history.update(store)
    for kind, name in history.columns:
        track = history.track((kind, name))
        for measure in Statistic:
            values = track.numbers[:, measure].astype(np.float64)
            known = ~np.isnan(values)
            steps = track.steps[known]
            if len(steps):
                title = f"{kind.value}/{name}/{measure.name.lower()}"
                times = np.asarray([record.at(int(step)) for step in steps])
                parts.append(Part(title, steps, times, values[known]))
    return parts


def _written(
    job: ExportJob,
    output: Path,
    form: str,
    content: Callable[[list[Part], WriteTarget], None],
    read: Callable[[Path], NDArray[np.float64]],
) -> Written:
    record = run_record(job)
    parts = table_parts(job, record)
    wanted = np.concatenate([np.empty(0), *(part.values for part in parts)])

    def verify(file: Path) -> None:
        if not np.array_equal(read(file), wanted, equal_nan=True):
            params = {"file": output.name, "tracker": form, "curve": parts[0].name}
            raise DiagnosticError.of("R613", **params)

    atomic_write(output, lambda stream: content(parts, stream), verify)
    beside = output.with_suffix(BESIDE)
    atomic_write(beside, _told(job, record))
    return Written(files=(output, beside), difference=0.0, batches=0)


def _told(job: ExportJob, record: RunRecord) -> bytes:
    """Return what is no number of a step: settings and events."""
    with RunStore.open(job.run) as store:
        events = [stored.event for stored in store.events()]
    names = ("project", "run", "name", "first", "last", "reason", "settings")
    found = {name: getattr(record, name) for name in names} | {"events": events}
    return msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n"


def _csv(parts: list[Part], stream: WriteTarget) -> None:
    for lines in _lines(parts):
        stream.write(lines.encode())


def _lines(parts: list[Part]) -> Iterator[str]:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for part in parts:
        rows = zip(part.steps.tolist(), part.times.tolist(), part.values.tolist(), strict=True)
        for number, row in enumerate(rows, 1):
            writer.writerow((part.name, *row))
            if not number % _ROWS:
                yield text.getvalue()
                text.seek(0)
                text.truncate()
    yield text.getvalue()


def _read_csv(file: Path) -> NDArray[np.float64]:
    with file.open(encoding="utf-8", newline="") as stream:
        return np.asarray([float(row["value"]) for row in csv.DictReader(stream)])


def _parquet(parts: list[Part], stream: WriteTarget) -> None:
    import pyarrow as pa
    from pyarrow.parquet import write_table

    names = np.repeat(np.arange(len(parts)), [len(part.steps) for part in parts])
    titles = pa.array([part.name for part in parts], pa.string())
    columns = (
        pa.DictionaryArray.from_arrays(pa.array(names.astype(np.int32)), titles),
        np.concatenate([np.empty(0, np.int64), *(part.steps for part in parts)]),
        np.concatenate([np.empty(0), *(part.times for part in parts)]),
        np.concatenate([np.empty(0), *(part.values for part in parts)]),
    )
    held = io.BytesIO()
    write_table(pa.table(dict(zip(COLUMNS, columns, strict=True))), held)
    stream.write(held.getvalue())


def _read_parquet(file: Path) -> NDArray[np.float64]:
    from pyarrow.parquet import read_table

    return np.asarray(read_table(file, columns=["value"])["value"])
