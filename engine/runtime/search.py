"""Starting searches and letting them go on. Loads without torch and without Optuna."""

import time
from pathlib import Path

from engine.diagnostics import DiagnosticError
from engine.graph.model import Graph
from engine.runs.folder import require_record_room
from engine.runs.search import SearchFolder
from engine.runtime.job.child import Child, start_worker
from engine.runtime.job.job import module_command
from engine.spec.run import RunSpec
from engine.spec.search import SearchSpec, check_search

_MODULE = "engine.runtime.search_worker"
_POLL_S = 0.05


class SearchHandle:
    """A search that was started here. Letting go of the handle changes nothing for it."""

    def __init__(self, folder: SearchFolder, process: Child) -> None:
        self.folder = folder
        self._process = process

    def is_alive(self) -> bool:
        """Return whether its process lives."""
        return self._process.poll() is None

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait for the end of its process; False when the time was over before."""
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while self.is_alive():
            if deadline is not None and time.monotonic() >= deadline:
                return False
            time.sleep(_POLL_S)
        return True


def start_search(
    project: Path,
    graph: Graph,
    spec: RunSpec,
    search: SearchSpec,
    name: str = "",
    *,
    trusted: bool = False,
) -> SearchHandle:
    """Make a search folder and start the process that carries it out.

    ``trusted`` lets the own code of the graph run. Raises :class:`DiagnosticError` with what is
    wrong with the search, or when nothing can be written or started.
    """
    problems = check_search(search, graph, spec)
    if problems:
        raise DiagnosticError(*problems)
    folder = SearchFolder.create(project, graph, spec, search, name)
    return _launch(folder, trials=0, trusted=trusted)


def resume_search(folder: SearchFolder, *, trials: int = 0, trusted: bool = False) -> SearchHandle:
    """Go on with a search that has no process; ``trials`` (0: as before) wants another number.

    Raises :class:`DiagnosticError`: R155 when a process is at it, P002 or P003 when nothing can be
    written there.
    """
    if folder.is_alive():
        raise DiagnosticError.of("R155", run=folder.id)
    require_record_room(folder.path)
    return _launch(folder, trials=trials, trusted=trusted)


def _launch(folder: SearchFolder, *, trials: int, trusted: bool) -> SearchHandle:
    path = folder.commands_path
    arguments = [str(folder.path.absolute())]
    arguments += ["--commands-from", str(path.stat().st_size if path.exists() else 0)]
    if trials:
        arguments += ["--trials", str(trials)]
    if trusted:
        arguments.append("--trusted")
    return SearchHandle(folder, start_worker(module_command(_MODULE, *arguments)))
