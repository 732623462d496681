"""Captured autograd graphs among the artefacts of a run: one file a step, the newest are kept."""

from pathlib import Path

import msgspec

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.files import FileWriteError, atomic_write, describe_os_error
from engine.runs.autograd_graph import AutogradGraph

KEPT = 20
_FOLDER, _ENDING = "autograd", ".graph"
_MAXIMUM_BYTES = 256 << 20
_decoder = msgspec.msgpack.Decoder(AutogradGraph)


def write_graph(artefacts: Path, step: int, graph: AutogradGraph) -> Path:
    """Write the graph of a step and return the file; of more than ``KEPT`` the oldest goes.

    Raises :class:`engine.files.FileWriteError` when the disk does not take it.
    """
    path = artefacts / _FOLDER / f"{step:09d}{_ENDING}"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(path, msgspec.msgpack.encode(graph))
        for old in graph_files(artefacts)[:-KEPT]:
            old.unlink(missing_ok=True)
    except OSError as error:
        raise FileWriteError(describe_os_error(error, path)) from error
    return path


def graph_files(artefacts: Path) -> list[Path]:
    """Return the files of a run's graphs, the oldest step first."""
    return sorted((artefacts / _FOLDER).glob(f"*{_ENDING}"))


def step_of(path: Path) -> int:
    """Return the step that a file is of."""
    return int(path.stem)


def read_graph(path: Path) -> AutogradGraph:
    """Return a graph. Raises :class:`DiagnosticError` (A002 and file reasons) where it is none."""
    try:
        if path.stat().st_size > _MAXIMUM_BYTES:
            raise DiagnosticError(Diagnostic(code="A002", params={"file": path.name}))
        return _decoder.decode(path.read_bytes())
    except OSError as error:
        raise DiagnosticError(describe_os_error(error, path)) from error
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        problem = Diagnostic(code="A002", params={"file": path.name}, detail=str(error))
        raise DiagnosticError(problem) from error
