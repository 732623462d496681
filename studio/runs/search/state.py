"""State of the Search page: the searches of the project, and what the form says of a new one."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from engine.diagnostics import Diagnostic
from engine.runs.search import SearchFolder, SearchState, SearchStatus, TrialRecord, TrialStatus
from engine.spec.search import Dimension, SearchSpec, parse_dimension

NEW = ""
"""The key of a search that has not been started, among those of the project."""

Searches = dict[str, tuple[SearchFolder, SearchState]]
"""Folder and state of each search by its id, oldest first."""


@dataclass(frozen=True, kw_only=True)
class SearchPageState:
    """``chosen`` is the search that is shown, ``form`` what the form says, and ``space`` the
    settings that a new search tries; a grid has as many trials as there are ``combinations``.
    ``settings`` (name and label) and ``monitors`` are the choices; ``selected`` are the ids of the
    selected trials; ``problem`` says why the last request could not be followed.
    """

    project: Path | None = None
    searches: Mapping[str, tuple[SearchFolder, SearchState]] = field(default_factory=dict)
    chosen: str = NEW
    form: SearchSpec = field(default_factory=SearchSpec)
    space: tuple[Dimension, ...] = ()
    combinations: int = 0
    settings: tuple[tuple[str, str], ...] = ()
    monitors: tuple[str, ...] = ()
    selected: tuple[str, ...] = ()
    problem: Diagnostic | None = None
    is_starting: bool = False

    @property
    def shown(self) -> tuple[SearchFolder, SearchState] | None:
        """The search that is shown; None for a new one."""
        return self.searches.get(self.chosen)

    @property
    def is_grid(self) -> bool:
        """Whether every combination is tried."""
        return self.form.method == "grid"

    @property
    def is_over(self) -> bool:
        """Whether the search that is shown has ended."""
        return self.shown is not None and self.shown[1].status.is_over()

    @property
    def wanted(self) -> SearchSpec:
        """The search that the form describes."""
        return msgspec.structs.replace(self.form, space=self.space)

    @property
    def trials(self) -> int:
        """The number of trials that the form shows."""
        if not self.is_grid:
            return self.form.trials
        return self.shown[1].total if self.shown else self.combinations or self.form.trials

    @property
    def more(self) -> int:
        """How many trials are wanted where they are more than the search had; else 0."""
        if self.shown is None or not self.is_over or self.is_grid:
            return 0
        return self.form.trials if self.form.trials > self.shown[1].total else 0

    @property
    def trial(self) -> TrialRecord | None:
        """The trial that is selected, if it has a run."""
        if self.shown is None or len(self.selected) != 1:
            return None
        trials = self.shown[1].trials
        return next((t for t in trials if str(t.number) == self.selected[0] and t.run), None)

    @property
    def is_paused(self) -> bool:
        """Whether the search that is shown can be continued."""
        return self.is_over or (
            self.shown is not None and self.shown[1].status is SearchStatus.PAUSED
        )

    @property
    def possible(self) -> frozenset[str]:
        """The buttons that can be used."""
        if self.is_starting:
            return frozenset()
        if self.shown is None:
            return frozenset({"start"} if self.space and self.project is not None else ())
        possible: set[str] = set()
        if self.shown[1].status is not SearchStatus.FINISHED or self.more:
            possible.add("pause")
        if not self.is_over:
            possible.add("stop")
        if self.trial is not None:
            possible |= {"show", "take"}
        return frozenset(possible)

    @property
    def run_counts(self) -> list[tuple[int, int]]:
        """How many runs each search has, and how many of them are trained now."""
        return [
            (
                sum(bool(trial.run) for trial in state.trials),
                sum(trial.status is TrialStatus.RUNNING for trial in state.trials),
            )
            for _, state in self.searches.values()
        ]

    def choose(self, search: str) -> "SearchPageState":
        """Return the state with a search shown, as its form had it."""
        chosen = replace(self, chosen=search, problem=None)
        if chosen.shown is None:
            return chosen
        folder, state = chosen.shown
        spec = folder.document.search
        trials = self.form.trials if spec.method == "grid" else state.total or spec.trials
        return replace(chosen, form=msgspec.structs.replace(spec, space=(), trials=trials))

    def read(self, searches: Searches) -> "SearchPageState":
        """Return the state with the searches of the project as they stand, this one where none has
        changed; one that goes on without the window is shown.
        """
        state = replace(self, searches=searches)
        if list(self.searches) == list(searches):
            return self if _states(self.searches) == _states(searches) else state
        living = [key for key, (_, search) in searches.items() if not search.status.is_over()]
        return state.choose(living[-1] if living and not self.searches else self.chosen)

    def offer_monitors(self, monitors: tuple[str, ...], usual: str) -> "SearchPageState":
        """Return the state with series to choose from; where what was chosen for a new search is
        not among them, ``usual`` is chosen, or the first one.
        """
        form = self.form
        if self.shown is None and form.monitor not in monitors:
            monitor = usual if usual in monitors else monitors[0]
            form = msgspec.structs.replace(form, monitor=monitor)
        return replace(self, monitors=monitors, form=form)


def _states(searches: Mapping[str, tuple[SearchFolder, SearchState]]) -> list[SearchState]:
    return [state for _, state in searches.values()]


def first_state(project: Path | None, form: SearchSpec) -> SearchPageState:
    """Return the state for a project whose searches have not been read."""
    return SearchPageState(
        project=project, form=form, space=(parse_dimension("optimizer.lr=1e-4..1e-1:log"),)
    )
