"""Search folder: the document of a hyperparameter search on disk, and its state.

::

    searches/search-0002/
        search.json      what is tried, on which model and recipe (never changed)
        state.json       where it stands: written whole by its process after every change
        study.db         what Optuna knows: every trial, committed as it happens
        commands.jsonl   pause, resume, stop (appended by anybody, read by the process)
        worker.json      which process is at it (runs.lease)
        log.txt          what the process printed

Each trial is an ordinary run in ``runs/``.
"""

import shutil
import time
from enum import StrEnum
from pathlib import Path

import msgspec

from engine.decoding import decode_json
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.events import Clock
from engine.files import UNDECODABLE, atomic_write, read_json, require_no_links
from engine.graph.model import Graph
from engine.runs.document import DocumentCodec, DocumentFolder, make_numbered
from engine.runs.folder import require_record_room
from engine.runs.process.run_lock import is_alive, read_tag
from engine.spec.run import RunSpec
from engine.spec.search import SearchSpec, Setting, grid_size

_PREFIX = "search"
_STATE_NAME = "state.json"


class TrialStatus(StrEnum):
    """Where a trial stands; a pruned one was stopped because it did not look promising."""

    RUNNING = "running"
    FINISHED = "finished"
    PRUNED = "pruned"
    FAILED = "failed"


class SearchStatus(StrEnum):
    """Where a search stands. ``died`` is found from outside."""

    STARTING = "starting"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    STOPPED = "stopped"
    FAILED = "failed"
    DIED = "died"

    def is_over(self) -> bool:
        """Return whether no process is at it any more."""
        return self not in (SearchStatus.STARTING, SearchStatus.RUNNING, SearchStatus.PAUSED)


class TrialRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One trial. ``value`` is the best that was measured at the end of an epoch, so far; ``run``
    the id of its run, empty where none could be begun (``problem`` says why); ``seconds`` are those
    of training.
    """

    number: int
    status: TrialStatus
    settings: dict[str, Setting] = {}
    value: float | None = None
    epoch: int = 0
    run: str = ""
    seconds: float = 0.0
    problem: Diagnostic | None = None


class SearchState(msgspec.Struct, frozen=True, kw_only=True):
    """A search at one moment. ``total`` trials are wanted; ``importance`` is the share of the
    differences between trials that a setting explains, while enough have finished.
    """

    status: SearchStatus = SearchStatus.STARTING
    total: int = 0
    trials: tuple[TrialRecord, ...] = ()
    importance: dict[str, float] = {}
    problem: Diagnostic | None = None

    def best(self, mode: str) -> TrialRecord | None:
        """Return the finished trial with the best value; nothing where none has finished."""
        finished = [
            (trial.value, trial)
            for trial in self.trials
            if trial.status is TrialStatus.FINISHED and trial.value is not None
        ]
        if not finished:
            return None
        choose = max if mode == "max" else min
        return choose(finished, key=lambda pair: pair[0])[1]


class SearchDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What ``search.json`` holds. ``created`` is wall-clock seconds, a label only."""

    name: str
    created: Clock
    search: SearchSpec
    graph: Graph
    spec: RunSpec


class SearchFolder(DocumentFolder[SearchDocument]):
    """One search. Cheap to make; holds no open file. :meth:`open` raises R310 and R311."""

    codec = DocumentCodec(SearchDocument, label="name")
    document_name = "search.json"
    missing, damaged = "R310", "R311"

    @classmethod
    def create(
        cls, project: Path, graph: Graph, spec: RunSpec, search: SearchSpec, name: str = ""
    ) -> "SearchFolder":
        """Make the next search of a project (``searches/search-0001``, ...).

        Raises :class:`DiagnosticError` when the folder cannot be written.
        """
        path = make_numbered(project / "searches", _PREFIX)
        document = SearchDocument(
            name=name or path.name, created=time.time(), search=search, graph=graph, spec=spec
        )
        folder = cls(path, document)
        try:
            require_record_room(path)
            folder.write_document()
        except BaseException:
            shutil.rmtree(path, ignore_errors=True)  # half a search would be told as damaged
            raise
        return folder

    @property
    def study_path(self) -> Path:
        """Optuna's record."""
        return self.path / "study.db"

    def is_alive(self) -> bool:
        """Return whether a living process is at this search."""
        tag = read_tag(self.path)
        return tag is not None and is_alive(tag)

    def write_state(self, state: SearchState) -> None:
        """Write where the search stands. Raises :class:`DiagnosticError`."""
        atomic_write(self.path / _STATE_NAME, msgspec.json.encode(state))

    def reported_state(self) -> SearchState:
        """Return what the process wrote last; the beginning where there is nothing readable."""
        try:
            return decode_json(read_json(self.path / _STATE_NAME), SearchState)
        except (OSError, *UNDECODABLE):
            return SearchState(total=self._first_total())

    def _first_total(self) -> int:
        """Return how many trials were wanted at the beginning: of a grid, every combination."""
        search = self.document.search
        if search.method != "grid":
            return search.trials
        return grid_size(search, self.document.graph, self.document.spec)

    def state(self) -> SearchState:
        """Return where the search stands; a process that went without a word has died."""
        tag = read_tag(self.path)  # before the state: an end that comes between is seen
        state = self.reported_state()
        if state.status.is_over() or tag is None or is_alive(tag):
            return state
        return msgspec.structs.replace(state, status=SearchStatus.DIED)


def searches_of(project: Path, problems: list[Diagnostic] | None = None) -> list[SearchFolder]:
    """Return the searches of a project, oldest first; findings about others go to ``problems``."""
    return SearchFolder.all_of(project / "searches", _PREFIX, problems)


def find_search(project: Path, wanted: str) -> SearchFolder:
    """Return the search that is meant by ``latest``, an id or a name (the newest with that name).

    Raises :class:`DiagnosticError` R312 when there is none, P031 where ``searches`` is a link.
    """
    require_no_links(project, ("searches",))
    fitting = [
        search
        for search in searches_of(project)
        if wanted in ("latest", search.id, search.document.name)
    ]
    if not fitting:
        raise DiagnosticError.of("R312", search=wanted)
    return fitting[-1]
