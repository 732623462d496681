"""What the runs of a cross-validation reached together."""

from math import isnan

import pytest
from msgspec.structs import replace

from engine.runs.cross_validation import (
    cross_validations,
    fold_specs,
    mean_and_deviation,
    repeated_seeds,
    seed_specs,
    summarize,
)
from engine.runs.folder import RunFolder, runs_of
from engine.runs.record.state import RunState, RunStatus
from engine.spec.codec import from_document, to_document
from tests.tiny_run import iris_graph, iris_spec


def finished(**metrics: float) -> RunState:
    return RunState(status=RunStatus.FINISHED, metrics={**metrics})


def test_that_the_folds_differ_in_their_number_alone_and_survive_the_document():
    specs = fold_specs(iris_spec(), 3)
    assert [spec.data.split.fold for spec in specs] == [0, 1, 2]
    splits = [replace(spec.data.split, folds=0, fold=0) for spec in specs]
    assert splits == [iris_spec().data.split] * 3
    assert [from_document(to_document(spec)) for spec in specs] == list(specs)
    assert to_document(iris_spec())["data"]["split"].keys() == {
        "train", "validation", "test", "seed",
    }  # fmt: skip


def test_that_the_newest_run_of_each_fold_counts_and_unfinished_ones_do_not(tmp_path):
    specs = fold_specs(iris_spec(), 3)
    made = [RunFolder.create(tmp_path, iris_graph(), specs[fold]) for fold in (0, 1, 1, 2)]
    states = [
        finished(loss=1.0, accuracy=0.5),
        finished(loss=9.0),
        finished(loss=3.0),
        RunState(status=RunStatus.FAILED, metrics={"loss": 70.0}),
    ]
    told = summarize(list(zip(made, states, strict=True)))
    assert [run.run for run in told.runs] == ["run-0001", "run-0003", "run-0004"]
    assert (told.folds, told.missing) == (3, (2,))
    assert told.metrics["loss"].values == {0: 1.0, 1: 3.0}
    assert told.metrics["loss"].mean == 2.0
    assert told.metrics["loss"].std == pytest.approx(2**0.5)
    assert (told.metrics["accuracy"].mean, told.metrics["accuracy"].std) == (0.5, None)


def test_that_repeated_seeds_differ_in_nothing_else_and_wrap_around():
    specs = seed_specs(iris_spec(seed=2**32 - 2), 3)
    assert [spec.seed for spec in specs] == [2**32 - 2, 2**32 - 1, 0]
    assert {replace(spec, seed=7) == iris_spec(seed=7) for spec in specs} == {True}


def test_that_runs_of_several_seeds_are_summed_up_and_single_ones_are_not(tmp_path):
    made = [RunFolder.create(tmp_path, iris_graph(), spec) for spec in seed_specs(iris_spec(), 3)]
    RunFolder.create(tmp_path, iris_graph(), iris_spec(epochs=8))  # alone
    (group,) = repeated_seeds(runs_of(tmp_path), [])
    assert [(run.fold, run.run) for run in group.runs] == [(3 + n, made[n].id) for n in range(3)]
    assert group.missing == (3, 4, 5)  # none has ended
    states = [finished(loss=value) for value in (1.0, 2.0, 6.0)]
    told = summarize(list(zip(made, states, strict=True)), "seed")
    assert (told.folds, told.missing, told.metrics["loss"].mean) == (3, (), 3.0)
    assert told.metrics["loss"].values == {3: 1.0, 4: 2.0, 5: 6.0}


def test_that_runs_belong_together_whatever_they_trained_on(tmp_path):
    first, second = fold_specs(iris_spec(), 2)
    RunFolder.create(tmp_path, iris_graph(), first)
    RunFolder.create(tmp_path, iris_graph(), replace(second, device="cuda:1"))
    RunFolder.create(tmp_path, iris_graph(), replace(second, seed=9))
    RunFolder.create(tmp_path, iris_graph(), iris_spec())
    problems = []
    groups = cross_validations(runs_of(tmp_path), problems)
    assert [[run.run for run in each.runs] for each in groups] == [
        ["run-0001", "run-0002"],
        ["run-0003"],
    ]
    assert problems == []


def test_that_a_value_that_is_not_finite_has_no_mean():
    mean, deviation = mean_and_deviation([1.0, float("inf")])
    assert isnan(mean)
    assert deviation is not None
    assert isnan(deviation)
    assert mean_and_deviation([2.0]) == (2.0, None)
