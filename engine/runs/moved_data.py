"""Data of a run that lies elsewhere by now: where the project finds it, the run does too."""

from pathlib import Path

from engine.runs.folder import RunFolder, runs_of
from engine.runs.machine.remote import read_remote
from engine.spec.data_path import changed_params, path_params, with_data_at
from engine.spec.run import RunSpec


def follow_data(run: RunFolder, spec: RunSpec) -> RunFolder:
    """Return a run with its data where that of a project (``spec``) lies, where its own is not
    there any more and both are read with the same settings. What else the run trains with stays.

    Raises :class:`~engine.diagnostics.DiagnosticError` when ``run.json`` cannot be written.
    """
    code, own = run.document.graph.code, run.document.spec
    before, now = own.data.source, spec.data.source
    if before.type != now.type or changed_params(before, code) != changed_params(now, code):
        return run
    gone = False
    for name in path_params(before, code):
        path, other = str(before.params.get(name) or ""), str(now.params.get(name) or "")
        if bool(path) != bool(other) or (other and not Path(other).exists()):
            return run
        gone |= bool(path) and not Path(path).exists()
    return run.with_spec(with_data_at(own, spec, code)) if gone else run


def follow_data_of_all(project: Path, spec: RunSpec) -> int:
    """Let the runs of a project that are over here follow its data (:func:`follow_data`), so that
    they can be evaluated and compared again; return how many have moved.

    Raises :class:`~engine.diagnostics.DiagnosticError` when a ``run.json`` cannot be written.
    """
    moved = 0
    for run in runs_of(project):
        if not run.is_alive() and read_remote(run.path) is None:
            moved += follow_data(run, spec) is not run
    return moved
