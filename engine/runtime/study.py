"""What Optuna knows about a search. Its record is committed at every call, so that nothing is lost
when the process is killed. Imports Optuna when a study is opened.
"""

import contextlib
import itertools
import math
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.runs.record.database import DAMAGED, Budget, harden, require_ordinary
from engine.runs.search import SearchFolder, TrialRecord, TrialStatus
from engine.spec.search import Dimension, SearchSpec, Setting, grid_values, is_integer

if TYPE_CHECKING:
    import optuna

_TABLES = (
    *("studies", "study_directions", "study_user_attributes", "study_system_attributes"),
    *("trials", "trial_user_attributes", "trial_system_attributes", "trial_params"),
    *("trial_values", "trial_intermediate_values", "trial_heartbeats"),
    *("version_info", "alembic_version"),
)
_LARGEST = 1 << 30
_NAME = "search"
_RUN = "run"
_TOTAL = "total"
_WARMUP_EPOCHS = 2  # the first epoch that decides about a trial
_MIN_FINISHED = 4  # finished trials before one is pruned or importance means anything


@dataclass(frozen=True, kw_only=True)
class OpenTrial:
    """A trial that is not over: its number, its settings and, once it has one, its run."""

    number: int
    settings: dict[str, Setting]
    run: str = ""


class Study:
    """The trials of a search. Use it from one thread. The record may be somebody else's: it is
    opened as a plain file of Optuna's tables, whose values are JSON, or not at all.

    Raises :class:`DiagnosticError`: R164 when it holds anything else, R316 when it cannot be read.
    """

    def __init__(self, folder: SearchFolder) -> None:
        import optuna
        from optuna.exceptions import OptunaError
        from sqlalchemy.engine import URL
        from sqlalchemy.exc import SQLAlchemyError

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        search = folder.document.search
        self._search = search
        document = folder.document
        self._axes = [
            (one, is_integer(one, search, document.graph, document.spec)) for one in search.space
        ]
        self._grid = self._combinations() if search.method == "grid" else ()
        _require_sound(folder.study_path)
        url = URL.create("sqlite", database=str(folder.study_path))
        wrong = (SQLAlchemyError, OptunaError, ValueError, TypeError, LookupError)
        try:
            self._storage = optuna.storages.RDBStorage(
                url.render_as_string(hide_password=False),
                engine_kwargs={"creator": lambda: _connect(folder.study_path)},
            )
        except wrong as error:
            raise _unreadable(folder.study_path, error) from error
        try:
            self._study = self._opened(search)
        except wrong as error:
            self.close()
            raise _unreadable(folder.study_path, error) from error

    def _opened(self, search: SearchSpec) -> "optuna.Study":
        import optuna

        study = optuna.create_study(
            storage=self._storage,
            study_name=_NAME,
            load_if_exists=True,
            direction="maximize" if search.mode == "max" else "minimize",
            pruner=_pruner(search),
        )
        # the same draws do not come again after a resume
        study.sampler = _sampler(search, search.seed + len(study.get_trials(deepcopy=False)))
        return study

    def close(self) -> None:
        """Let go of the record; it is all written."""
        self._storage.remove_session()
        self._storage.engine.dispose()

    @property
    def total(self) -> int:
        """How many trials are wanted: of a grid, every combination."""
        if self._grid:
            return len(self._grid)
        return int(self._study.user_attrs.get(_TOTAL, self._search.trials))

    def set_total(self, total: int) -> None:
        """Change the number of trials."""
        self._study.set_user_attr(_TOTAL, total)

    @property
    def count(self) -> int:
        """How many trials were begun."""
        return len(self._begun())

    def ask(self) -> OpenTrial:
        """Begin the next trial and return its settings."""
        from optuna.trial import TrialState

        if self._grid:
            trials = self._trials()
            if all(t.state is not TrialState.WAITING for t in trials):  # else of a killed process
                self._study.enqueue_trial(dict(self._grid[len(trials)]))
        trial = self._study.ask()
        return OpenTrial(number=trial.number, settings=self._settings(trial))

    def unfinished(self) -> list[OpenTrial]:
        """Return the trials that an earlier process had begun and not ended."""
        return [
            OpenTrial(
                number=trial.number,
                settings=self._settings(self._open(trial)),  # it may have none yet
                run=str(trial.user_attrs.get(_RUN, "")),
            )
            for trial in self._begun()
            if not trial.state.is_finished()
        ]

    def note_run(self, number: int, run: str) -> None:
        """Remember which run a trial is."""
        self._open(self._trials()[number]).set_user_attr(_RUN, run)

    def report(self, number: int, epoch: int, value: float) -> bool:
        """Note the value at the end of an epoch; return whether the trial should be stopped."""
        known = self._trials()[number]
        if epoch in known.intermediate_values:
            return False  # told by an earlier process
        trial = self._open(known)
        trial.report(value, epoch)
        return trial.should_prune()

    def end(self, number: int, status: TrialStatus, value: float | None) -> None:
        """End a trial; a value that is no number ends it as failed."""
        from optuna.trial import TrialState

        states = {
            TrialStatus.FINISHED: TrialState.COMPLETE,
            TrialStatus.PRUNED: TrialState.PRUNED,
        }
        state = states.get(status, TrialState.FAIL)
        if state is TrialState.COMPLETE and (value is None or not math.isfinite(value)):
            state = TrialState.FAIL
        has_value = state is TrialState.COMPLETE
        self._study.tell(number, value if has_value else None, state=state)

    def importance(self) -> dict[str, float]:
        """Return the share of the differences between trials that each setting explains (fANOVA,
        Hutter et al. 2014), largest first; nothing while too few have finished or all are alike.
        """
        from optuna.importance import get_param_importances
        from optuna.trial import TrialState

        finished = [t.value for t in self._trials() if t.state is TrialState.COMPLETE]
        if len(finished) < _MIN_FINISHED or len(set(finished)) < 2:
            return {}
        found = get_param_importances(self._study)
        return {name: float(share) for name, share in found.items() if math.isfinite(share)}

    def records(self, told: Mapping[int, TrialRecord]) -> dict[int, TrialRecord]:
        """Return all trials by number, with what was told about them before."""
        return {trial.number: _record(trial, told.get(trial.number)) for trial in self._begun()}

    def _settings(self, trial: "optuna.trial.Trial") -> dict[str, Setting]:
        return {one.name: _suggested(trial, one, whole=whole) for one, whole in self._axes}

    def _combinations(self) -> tuple[dict[str, Setting], ...]:
        points = self._search.grid_points
        axes = [grid_values(one, points, whole=whole) for one, whole in self._axes]
        names = [one.name for one, _ in self._axes]
        return tuple(dict(zip(names, row, strict=True)) for row in itertools.product(*axes))

    def _trials(self) -> "list[optuna.trial.FrozenTrial]":
        return self._study.get_trials(deepcopy=False)

    def _begun(self) -> "list[optuna.trial.FrozenTrial]":
        """Return the trials that are not merely enqueued."""
        from optuna.trial import TrialState

        return [trial for trial in self._trials() if trial.state is not TrialState.WAITING]

    def _open(self, trial: "optuna.trial.FrozenTrial") -> "optuna.trial.Trial":
        import optuna

        return optuna.trial.Trial(self._study, trial._trial_id)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - the only way to a trial of an earlier process


def _require_sound(file: Path) -> None:
    """Raise :class:`DiagnosticError` (R164, R316) unless a record is new, or sound and Optuna's."""
    if not (file.exists() or file.is_symlink()):
        return
    if not file.is_file() or file.stat().st_size > _LARGEST:
        raise _unreadable(file, OSError("no file, or too large"))
    try:
        with contextlib.closing(_connect(file)) as connection:
            budget = Budget(connection, lambda: 0)  # what it holds is not taken here
            require_ordinary(connection, file, _TABLES)
            # a page that stands in a tree twice makes a file of any size from a small one
            found = budget.rows(connection.execute("PRAGMA quick_check(1)"))
    except DAMAGED as error:
        raise _unreadable(file, error) from error
    if found != [("ok",)]:
        raise _unreadable(file, sqlite3.DatabaseError(str(found)[:200]))


def _connect(file: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(file, timeout=30.0, check_same_thread=False)
    try:
        harden(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _unreadable(file: Path, error: Exception) -> DiagnosticError:
    return DiagnosticError(Diagnostic(code="R316", params={"file": str(file)}, detail=str(error)))


def _suggested(trial: "optuna.trial.Trial", dimension: Dimension, *, whole: bool) -> Setting:
    """Return the value of a dimension in a trial: the one it has, or what the sampler chooses."""
    name, low, high, is_log = dimension.name, dimension.low, dimension.high, dimension.is_log
    if dimension.choices:
        return str(trial.suggest_categorical(name, dimension.choices))
    if whole:
        step = round(dimension.step) or 1
        bottom, top = math.ceil(low), math.floor(high)
        top -= (top - bottom) % step
        return trial.suggest_int(name, bottom, top, log=is_log, step=step)
    if not dimension.step:
        return trial.suggest_float(name, low, high, log=is_log)
    steps = math.floor((high - low) / dimension.step + 1e-9)
    top_value = low + steps * dimension.step
    return trial.suggest_float(name, low, top_value, step=dimension.step)


def _record(trial: "optuna.trial.FrozenTrial", told: TrialRecord | None) -> TrialRecord:
    statuses = {
        "COMPLETE": TrialStatus.FINISHED,
        "PRUNED": TrialStatus.PRUNED,
        "FAIL": TrialStatus.FAILED,
    }
    record = told or TrialRecord(number=trial.number, status=TrialStatus.RUNNING)
    is_complete = trial.state.name == "COMPLETE"
    return msgspec.structs.replace(
        record,
        status=statuses.get(trial.state.name, TrialStatus.RUNNING),
        settings=dict(trial.params),
        value=trial.value if is_complete else record.value,
        run=str(trial.user_attrs.get(_RUN, "")),
    )


def _sampler(search: SearchSpec, seed: int) -> "optuna.samplers.BaseSampler":
    import optuna

    if search.method == "tpe":
        return optuna.samplers.TPESampler(seed=seed)
    return optuna.samplers.RandomSampler(seed=seed)


def _pruner(search: SearchSpec) -> "optuna.pruners.BasePruner":
    import optuna

    if search.pruner == "median":
        return optuna.pruners.MedianPruner(
            n_startup_trials=_MIN_FINISHED, n_warmup_steps=_WARMUP_EPOCHS
        )
    return optuna.pruners.NopPruner()
