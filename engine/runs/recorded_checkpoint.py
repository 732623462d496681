"""Lookup of a checkpoint of a run by name, in its record and its folder."""

from pathlib import Path

import msgspec

from engine.diagnostics import DiagnosticError
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.record.state import CheckpointInfo, RunState
from engine.spec.technique import AVERAGED, RAW

_DAMAGED = ("R151", "R164")  # a record that is cut off, or of strange content


def find_checkpoint(run: RunFolder, wanted: str = "best") -> CheckpointInfo:
    """Return the checkpoint of a run that is meant by ``best`` (by the monitored value; the last
    where there is none), ``last``, or a file name. Of a run whose record is damaged they are those
    that lie in its folder, of which none is the best. After a colon a name says which weights are
    meant where the run keeps an average, as the ``file`` that is returned does too: ``best:raw``,
    ``last:averaged``.

    Raises :class:`DiagnosticError` K015 (there are none) or K013 (none of that name).
    """
    name, mark, kind = wanted.partition(":")
    info = _found(run, name)
    if not mark:
        return info
    if kind not in (RAW, AVERAGED):
        raise DiagnosticError.of("K013", run=run.id, name=wanted, known=f"{name}:{RAW}")
    return msgspec.structs.replace(info, file=f"{info.file}:{kind}")


def _found(run: RunFolder, wanted: str) -> CheckpointInfo:
    state = _state(run)
    infos = tuple(i for i in state.checkpoints if (run.checkpoints / i.file).is_file())
    infos = infos or _unrecorded(run.checkpoints)
    if not infos:
        raise DiagnosticError.of("K015", run=run.id)
    if wanted == "last":
        return infos[-1]
    if wanted == "best":
        return next((info for info in infos if info == state.best), infos[-1])
    for info in infos:
        if info.file in (wanted, f"{wanted}.ckpt"):
            return info
    raise DiagnosticError.of(
        "K013", run=run.id, name=wanted, known=", ".join(info.file for info in infos)
    )


def _state(run: RunFolder) -> RunState:
    try:
        return read_state(run)
    except DiagnosticError as error:
        if error.problems[0].code not in _DAMAGED:
            raise
        return RunState()


def _unrecorded(folder: Path) -> tuple[CheckpointInfo, ...]:
    """Return the checkpoints of a folder whose record is lost, oldest first, by their names."""
    infos = [
        CheckpointInfo(file=path.name, sha256="", step=int(path.name.split("-")[1]), epoch=0)
        for path in sorted(folder.glob("*-*.ckpt"))
        if path.name.split("-")[1].removesuffix(".ckpt").isdecimal()
    ]
    return tuple(infos)
