"""A run in the file of a tracker: a plain script of its own, in another process, has the tracker's
package write the file and read it back.
"""

import json
import math
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import msgspec

from engine.catalog.spec import Value
from engine.decoding import decode_json
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.export.job import ExportJob
from engine.export.run_record import RunRecord, run_record
from engine.export.written import Written
from engine.files import WriteTarget, atomic_write

_Points = dict[str, dict[int, float]]


class _Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The file that a script made, and the finite points that it read in it."""

    file: str
    points: _Points


def write_mlflow(job: ExportJob, output: Path) -> Written:
    """Write a database of MLflow with the run. Raises as :func:`write_tracked`."""
    return write_tracked(job, output, "MLflow", _script("mlflow_run.py"))


def write_wandb(job: ExportJob, output: Path) -> Written:
    """Write an offline run of Weights & Biases. Raises as :func:`write_tracked`."""
    return write_tracked(job, output, "Weights & Biases", _script("wandb_run.py"))


def write_trackio(job: ExportJob, output: Path) -> Written:
    """Write a database of Trackio with the run. Raises as :func:`write_tracked`."""
    return write_tracked(job, output, "Trackio", _script("trackio_run.py"))


def write_tracked(job: ExportJob, output: Path, tracker: str, script: Path) -> Written:
    """Write the file of a tracker by a script, ``python -I SCRIPT FOLDER NAME``, that reads a run
    from its standard input. It takes its place only after every number was read back.

    Raises :class:`DiagnosticError`: R612 the package of the tracker cannot write it, R613 it holds
    other numbers, and as :func:`run_record`.
    """
    record = run_record(job)
    job.tell("write")
    with tempfile.TemporaryDirectory(prefix="trellis-tracker-") as folder:
        answer = _answer(record, Path(folder), output, tracker, script)

        def content(stream: WriteTarget) -> None:
            with Path(answer.file).open("rb") as file:
                shutil.copyfileobj(file, stream)

        _require_kept(record, answer.points, output.name, tracker)
        atomic_write(output, content)
    return Written(files=(output,), difference=0.0, batches=0)


def _answer(record: RunRecord, folder: Path, output: Path, tracker: str, script: Path) -> _Answer:
    """Return what the script answers. Raises :class:`DiagnosticError` R612 where it fails."""
    done = subprocess.run(
        [sys.executable, "-I", str(script), str(folder), output.stem],
        input=json.dumps(_plain(record)).encode(),
        capture_output=True,
        cwd=folder,
        check=False,
    )
    words = done.stderr.decode(errors="replace").strip()
    reason = words.rpartition("\n")[2]
    try:
        if not done.returncode:
            return decode_json(done.stdout, _Answer)
    except (msgspec.MsgspecError, ValueError) as error:
        reason = str(error)
    params: dict[str, str | int | float] = {
        "tracker": tracker,
        "reason": reason or f"exit code {done.returncode}",
    }
    raise DiagnosticError(Diagnostic(code="R612", params=params, detail=words[-4000:]))


def _script(name: str) -> Path:
    return Path(__file__).with_name(name)


def _plain(record: RunRecord) -> dict[str, object]:
    curves = [
        {
            "tag": curve.tag,
            "steps": curve.steps.tolist(),
            "values": curve.values.tolist(),
            "times": curve.times.tolist(),
        }
        for curve in record.curves
    ]
    settings = {name: _setting(value) for name, value in record.settings.items()}
    return {**record._asdict(), "settings": settings, "curves": curves}


def _setting(value: Value) -> object:
    return value if isinstance(value, str | int | float | None) else str(value)


def _require_kept(record: RunRecord, found: _Points, file: str, tracker: str) -> None:
    """Raise :class:`DiagnosticError` R613 where a finite number is missing or another: trackers
    keep them as they are.
    """
    for curve in record.curves:
        points = found.get(curve.tag, {})
        for step, value in zip(curve.steps.tolist(), curve.values.tolist(), strict=True):
            if math.isfinite(value) and points.get(step) != value:
                raise DiagnosticError.of("R613", file=file, tracker=tracker, curve=curve.tag)
