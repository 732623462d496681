"""A search without its process: trials, pruning, stops and kills; the runs are real."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from engine.events import Pause, Resume, Stop
from engine.runs.folder import RunFolder, runs_of
from engine.runs.follow import read_state
from engine.runs.process.launch import Launch
from engine.runs.record.state import RunStatus
from engine.runs.search import SearchFolder, SearchStatus, TrialStatus, find_search
from engine.runtime import search_job
from engine.runtime.run import RunHandle, start_run
from engine.runtime.search_job import SearchJob
from engine.runtime.study import Study
from engine.spec.search import SearchSpec, parse_dimension
from engine.train.worker import run_in_thread
from tests.tiny_run import iris_graph, iris_spec

PATIENCE_S = 60.0
SPACE = ("optimizer.lr=0.001..0.1:log", "model.hidden.out_features=4..8:4")


@pytest.fixture(autouse=True)
def _threads(monkeypatch):
    """Train the trials on threads of this process, which has torch already."""

    def start(project, graph, spec, name, **_):
        folder = RunFolder.create(project, graph, spec, name)
        return RunHandle(folder, thread=run_in_thread(Launch(folder=str(folder.path))))

    def resume(project, run, **_):
        folder = RunFolder.open(project / "runs" / run)
        launch = Launch(
            folder=str(folder.path), resume="latest", commands_from=folder.commands_size()
        )
        return RunHandle(folder, thread=run_in_thread(launch))

    monkeypatch.setattr(search_job, "start_run", start)
    monkeypatch.setattr(search_job, "resume_run", resume)
    monkeypatch.setattr(search_job.Standby, "prepare", lambda self: None)
    monkeypatch.setattr(search_job, "_POLL_S", 0.005)


def make(tmp_path, space=SPACE, epochs=1, **choices) -> SearchFolder:
    wanted = SearchSpec(space=tuple(map(parse_dimension, space)), **choices)
    return SearchFolder.create(tmp_path, iris_graph(), iris_spec(epochs=epochs), wanted)


class KilledError(BaseException):
    """The process of a search ends in the middle of it, without a last word."""


@contextmanager
def meanwhile(monkeypatch, look: Callable[[], None]) -> Iterator[None]:
    """Have something done each time a search waits for its trials."""

    def wait(seconds: float) -> None:
        look()
        time.sleep(seconds)

    with monkeypatch.context() as patch:
        patch.setattr(search_job, "time", SimpleNamespace(sleep=wait))
        yield


def job(folder: SearchFolder, trials: int = 0) -> SearchJob:
    start = folder.commands_path.stat().st_size if folder.commands_path.exists() else 0
    return SearchJob(folder, start, trials=trials, trusted=False)


@pytest.mark.parametrize(("method", "total"), [("grid", 6), ("random", 4)])
def test_that_a_search_tells_how_many_trials_come_before_its_process_does(tmp_path, method, total):
    folder = make(tmp_path, method=method, trials=4)
    assert folder.state().total == total


@pytest.mark.row("P21")
@pytest.mark.parametrize("method", ["tpe", "random"])
def test_that_each_trial_is_an_ordinary_run_with_its_settings(tmp_path, method):
    folder = make(tmp_path, method=method, trials=4, pruner="none")
    assert job(folder).run() is SearchStatus.FINISHED
    state, runs = folder.state(), runs_of(tmp_path)
    assert [trial.run for trial in state.trials] == [run.id for run in runs]
    for trial, run in zip(state.trials, runs, strict=True):
        spec, graph = run.document.spec, run.document.graph
        assert spec.optimizer.params["lr"] == trial.settings["optimizer.lr"]
        width = trial.settings["model.hidden.out_features"]
        assert graph.nodes["hidden"].params["out_features"] == width
        measured = read_state(run).metrics["validation.loss"]
        assert trial.value == pytest.approx(measured)
    assert state.best("min").value == min(trial.value for trial in state.trials)
    assert set(state.importance) == {"optimizer.lr", "model.hidden.out_features"}


@pytest.mark.row("P21")
def test_that_a_grid_tries_every_combination_once(tmp_path):
    folder = make(tmp_path, ("optimizer=AdamW,SGD", SPACE[1]), method="grid", trials=1)
    assert job(folder).run() is SearchStatus.FINISHED
    tried = {tuple(trial.settings.values()) for trial in folder.state().trials}
    assert tried == {(name, width) for name in ("AdamW", "SGD") for width in (4, 8)}


def test_that_a_grid_goes_on_where_its_process_was_killed_between_two_trials(tmp_path, monkeypatch):
    folder = make(tmp_path, ("optimizer.lr=0.1,0.01,0.001",), method="grid")
    study = Study(folder)
    tried = [study.ask().settings["optimizer.lr"]]
    with monkeypatch.context() as killed:
        killed.setattr("optuna.Study.ask", raise_killed)
        with pytest.raises(KeyboardInterrupt):
            study.ask()
    study.close()
    study = Study(folder)
    assert [trial.number for trial in study.unfinished()] == [0]
    assert study.count == 1
    for expected in (1, 2):
        trial = study.ask()
        assert trial.number == expected
        tried.append(trial.settings["optimizer.lr"])
        study.end(trial.number, TrialStatus.FINISHED, 1.0)
    assert sorted(map(float, tried)) == [0.001, 0.01, 0.1]
    study.close()


def raise_killed(*_: object) -> None:
    raise KeyboardInterrupt


def test_that_a_finished_trial_without_a_finite_value_counts_as_failed(tmp_path):
    study = Study(make(tmp_path))
    for value in (None, float("nan")):
        study.end(study.ask().number, TrialStatus.FINISHED, value)
    assert study.importance() == {}
    assert study.unfinished() == []
    study.close()


def test_that_a_poor_trial_is_pruned_and_its_run_kept(tmp_path, monkeypatch):
    folder = make(tmp_path, epochs=2_000, trials=1)  # it is stopped long before its own end
    monkeypatch.setattr(Study, "report", lambda self, number, epoch, value: epoch >= 2)
    assert job(folder).run() is SearchStatus.FINISHED
    trial = folder.state().trials[0]
    assert trial.status is TrialStatus.PRUNED
    assert read_state(runs_of(tmp_path)[0]).status is RunStatus.STOPPED


def test_that_the_median_decides_what_is_pruned(tmp_path):
    study = Study(make(tmp_path))
    for _ in range(4):
        number = study.ask().number
        assert not any(study.report(number, epoch, 1.0) for epoch in (1, 2, 3))
        study.end(number, TrialStatus.FINISHED, 1.0)
    number = study.ask().number
    assert not study.report(number, 1, 2.0), "the first epoch decides nothing"
    assert study.report(number, 2, 2.0)
    study.close()


def test_that_a_trial_that_cannot_be_trained_is_told_and_the_next_one_goes_on(tmp_path):
    space = ("optimizer.lr=1e9,0.01",)
    folder = make(tmp_path, space, method="grid", pruner="none")
    assert job(folder).run() is SearchStatus.FINISHED
    first, second = folder.state().trials
    assert (first.status, first.problem.code) == (TrialStatus.FAILED, "C004")
    assert second.status is TrialStatus.FINISHED


def test_that_a_value_that_is_no_number_fails_its_trial_only(tmp_path, monkeypatch):
    monkeypatch.setattr(SearchJob, "_measure", lambda self, live, event: None)
    folder = make(tmp_path, trials=2)
    assert job(folder).run() is SearchStatus.FINISHED
    assert [trial.problem.code for trial in folder.state().trials] == ["R313", "R313"]


def test_that_a_search_for_what_no_run_tells_ends_with_its_first_trial(tmp_path):
    folder = make(tmp_path, trials=3, monitor="validation.beauty")
    assert job(folder).run() is SearchStatus.FAILED
    state = folder.state()
    assert [trial.status for trial in state.trials] == [TrialStatus.FAILED]
    assert (state.problem.code, state.trials[0].problem.code) == ("R314", "R314")


def test_that_a_stopped_search_goes_on_with_its_trials_where_they_were(tmp_path, monkeypatch):
    folder = make(tmp_path, epochs=150, trials=1, pruner="none")

    def stop() -> None:
        if any(trial.epoch >= 2 for trial in folder.state().trials):
            folder.send(Stop())

    with meanwhile(monkeypatch, stop):
        assert job(folder).run() is SearchStatus.STOPPED
    assert folder.state().status is SearchStatus.STOPPED
    assert [trial.status for trial in folder.state().trials] == [TrialStatus.RUNNING]
    reached = read_state(runs_of(tmp_path)[0]).step
    second = job(folder)
    assert second.run() is SearchStatus.FINISHED
    assert folder.state().trials[0].status is TrialStatus.FINISHED
    state = read_state(runs_of(tmp_path)[0])
    assert state.resumed_from
    assert state.step > reached


def test_that_a_killed_search_takes_up_a_run_that_ended_meanwhile(tmp_path, monkeypatch):
    folder = make(tmp_path, trials=2)

    def kill() -> None:
        if runs_of(tmp_path):
            raise KilledError

    with monkeypatch.context() as patch, meanwhile(monkeypatch, kill):
        studies: list[Study] = []
        patch.setattr(search_job, "Study", lambda at: studies.append(Study(at)) or studies[-1])
        with pytest.raises(KilledError):
            job(folder).run()
    end = time.monotonic() + PATIENCE_S
    while runs_of(tmp_path)[0].is_alive() and time.monotonic() < end:
        time.sleep(0.01)
    (study,) = studies
    lost = study.ask()  # killed between the choice of settings and the run
    study.close()
    assert job(folder).run() is SearchStatus.FINISHED
    trials = folder.state().trials
    assert [trial.number for trial in trials] == [0, 1]
    assert trials[0].run == "run-0001"
    assert trials[0].value is not None
    assert trials[1].settings == lost.settings
    assert len(runs_of(tmp_path)) == 2


def test_that_a_paused_search_begins_nothing_until_it_goes_on(tmp_path, monkeypatch):
    folder = make(tmp_path, trials=1)
    paused = job(folder)
    folder.send(Pause())
    seen: list[tuple[SearchStatus, int]] = []

    def look() -> None:
        seen.append((folder.state().status, len(runs_of(tmp_path))))
        if len(seen) == 2:
            folder.send(Resume())

    with meanwhile(monkeypatch, look):
        assert paused.run() is SearchStatus.FINISHED
    assert seen[:2] == [(SearchStatus.PAUSED, 0)] * 2
    assert len(runs_of(tmp_path)) == 1


def test_that_a_finished_search_goes_on_to_more_trials(tmp_path):
    folder = make(tmp_path, trials=1)
    job(folder).run()
    assert job(folder, trials=2).run() is SearchStatus.FINISHED
    assert [trial.status for trial in folder.state().trials] == [TrialStatus.FINISHED] * 2
    assert folder.state().total == 2
    assert find_search(tmp_path, "latest").id == folder.id


def test_that_five_trials_in_a_row_that_cannot_begin_end_the_search(tmp_path, monkeypatch):
    folder = make(tmp_path, ("losses.0.inputs.target=data.nothing",), method="random", trials=50)
    monkeypatch.setattr(search_job, "start_run", start_run)  # with its check
    assert job(folder).run() is SearchStatus.FAILED
    state = folder.state()
    assert len(state.trials) == 5
    assert state.problem is not None
