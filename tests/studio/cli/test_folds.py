"""Cross-validation from the command line."""

import pytest
from msgspec.structs import replace

from engine.diagnostics import Diagnostic
from engine.runs.folder import runs_of
from engine.runs.queue import RunQueue
from engine.runs.record.state import RunStatus
from studio.cli import following, queue_command, train_command


@pytest.mark.real
def test_that_a_run_for_each_fold_is_trained_and_summed_up(run, project):
    options = ("--folds", "2", "--epochs", "1", "--set", "data.split.kind=stratified")
    done = run("train", project, *options, "--json")
    assert done.code == 0, done.err
    told = done.json()
    assert (told["folds"], told["missing"]) == (2, [])
    splits = [folder.document.spec.data.split for folder in runs_of(project)]
    assert [(split.kind, split.folds, split.fold) for split in splits] == [
        ("stratified", 2, 0),
        ("stratified", 2, 1),
    ]
    losses = [each["metrics"]["validation.loss"] for each in told["runs"]]
    summary = told["metrics"]["validation.loss"]
    assert summary["mean"] == pytest.approx(sum(losses) / 2)
    assert summary["std"] == pytest.approx(abs(losses[0] - losses[1]) / 2**0.5)
    assert run("runs", project, "--folds", "--json").json() == {"cross_validations": [told]}
    table = run("runs", project, "--folds").out
    assert "validation.loss" in table
    assert "run-0002" in table
    assert "fold 1" in table
    assert "fold 2" in table
    assert "fold 0" not in table


@pytest.mark.real
def test_that_the_summary_of_folds_is_printed_though_progress_is_not(run, project):
    done = run("train", project, "--folds", "2", "--epochs", "1", "--quiet")
    assert done.code == 0, done.err
    assert not done.err
    assert "validation.loss" in done.out
    assert "fold 2" in done.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--folds", "1"), "from 2 to"),
        (("--folds", "3", "--resume", "latest"), "--resume"),
        (("--seeds", "1"), "from 2 to"),
        (("--seeds", "3", "--resume", "latest"), "--resume"),
        (("--seeds", "3", "--folds", "3"), "not allowed with"),
        (("--folds", "3", "--set", "data.split.fold=1"), "itself"),
        (("--folds", "3", "--set", "data.split.kind=nothing"), "data.split.kind"),
    ],
)
def test_that_wrong_use_of_folds_is_told_in_one_line(run, project, arguments, words):
    done = run("train", project, *arguments)
    assert done.code == 2
    assert words in done.err
    assert runs_of(project) == []


@pytest.mark.real
def test_that_a_recipe_is_trained_with_several_seeds_and_summed_up(run, project):
    done = run("train", project, "--seeds", "2", "--steps", "2", "--seed", "7", "--json")
    assert done.code == 0, done.err
    told = done.json()
    assert [each["seed"] for each in told["runs"]] == [7, 8]
    losses = [each["metrics"]["validation.loss"] for each in told["runs"]]
    assert losses[0] != losses[1]
    assert told["metrics"]["validation.loss"]["mean"] == pytest.approx(sum(losses) / 2)
    assert run("runs", project, "--seeds", "--json").json() == {"repeated_seeds": [told]}
    assert "seed 8" in run("runs", project, "--seeds").out


def test_that_the_queue_takes_a_run_for_each_fold(run, project, tmp_path, monkeypatch):
    queue = RunQueue(tmp_path / "queue")
    monkeypatch.setattr(queue_command, "user_queue", lambda: queue)
    assert run("queue", "pause").code == 0  # so that no process begins
    done = run("queue", "add", project, "--folds", "3", "--name", "mine")
    assert done.code == 0, done.err
    entries = queue.entries()
    assert [entry.name for entry in entries] == ["mine fold 1", "mine fold 2", "mine fold 3"]
    assert [entry.spec.data.split.fold for entry in entries] == [0, 1, 2]
    done = run("queue", "add", project, "--seeds", "2", "--seed", "5")
    assert done.code == 0, done.err
    *_, first, second = queue.entries()
    assert [(each.name, each.spec.seed) for each in (first, second)] == [
        ("seed 5", 5),
        ("seed 6", 6),
    ]
    refused = run("queue", "add", project, "--folds", "3", "--set", "data.split.kind=group")
    assert refused.code == 1
    assert "column" in refused.err
    assert len(queue.entries()) == 3 + 2


def test_that_waiting_for_a_queue_with_a_failed_run_fails(run, project, tmp_path, monkeypatch):
    queue = RunQueue(tmp_path / "queue")
    monkeypatch.setattr(queue_command, "user_queue", lambda: queue)
    monkeypatch.setattr(queue_command.runtime, "work_off", lambda queue: None)
    assert run("queue", "wait").code == 0
    assert run("queue", "add", project, "--name", "mine").code == 0
    (entry,) = queue.entries()
    queue.write(replace(entry, run="run-0007", problem=Diagnostic(code="R561")))
    done = run("queue", "wait")
    assert done.code == 1
    assert f"{entry.id} run-0007 mine: The run ended before it was finished" in done.err
    assert "queue retry" in done.err
    assert run("queue", "remove", entry.id).code == 0
    assert run("queue", "wait").code == 0


@pytest.mark.real
def test_that_a_fold_that_dies_does_not_end_the_others(run, project, monkeypatch):
    watched = []

    def watch(handle, *given, **options):
        state = following.watch(handle, *given, **options)
        watched.append(handle.folder.id)
        died = {2: state.step, 3: 0}.get(len(watched))  # the last one before its first step
        return state if died is None else replace(state, status=RunStatus.DIED, step=died)

    monkeypatch.setattr(train_command, "watch", watch)
    options = ("--folds", "4", "--epochs", "1", "--mode", "thread", "--set", "optimizer.lr=0.02")
    done = run("train", project, *options)
    assert done.code == 1
    assert len(runs_of(project)) == 4
    assert "folds that are not finished: 2, 3" in done.err
    typed = [
        line[line.index("main.py") :] for line in done.err.splitlines() if " main.py train" in line
    ]
    assert typed[0] == f"main.py train {project} --resume {watched[1]}"
    for part in ("optimizer.lr=0.02", "epochs=1", "data.split.folds=4", "data.split.fold=2"):
        assert f"--set {part}" in typed[1]
    assert len(typed) == 2
