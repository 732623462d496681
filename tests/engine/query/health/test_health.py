"""The question about the health of data: in steps, and with what runs of the project predict."""

import csv
import shutil

import numpy as np
import pytest
from msgspec.structs import replace

from engine.diagnostics import DiagnosticError
from engine.query.ask import ask
from engine.query.health.request import CheckDataHealth
from engine.runs.cross_validation import fold_specs
from engine.runs.folder import RunFolder
from engine.spec.run import Choice, DataSpec, SplitSpec
from tests.tiny_run import iris_graph, iris_spec, make_run, train

FLIPPED = 9


def whole(request: CheckDataHealth):
    while (step := ask(request)).report is None:
        assert 0 <= step.done <= step.total
    assert step.done == step.total
    return step.report


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Return irises with wrong labels as data, and the rows of those."""
    from sklearn.datasets import load_iris

    values, kinds = load_iris(return_X_y=True)
    chance = np.random.default_rng(1)
    wrong = chance.choice(len(kinds), FLIPPED, replace=False)
    kinds[wrong] = (kinds[wrong] + chance.integers(1, 3, FLIPPED)) % 3
    path = tmp_path_factory.mktemp("data") / "iris.csv"
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["a", "b", "c", "d", "kind"])
        writer.writerows([*row, f"kind {kind}"] for row, kind in zip(values, kinds, strict=True))
    params = {"path": str(path), "target": "kind"}
    split = SplitSpec(kind="stratified")
    data = DataSpec(
        source=Choice(type="table", params=params), normalization="standard", split=split
    )
    return data, set(wrong.tolist())


@pytest.fixture(scope="module")
def folds(tmp_path_factory, table):
    """Return a project with a cross-validation in three folds."""
    project = tmp_path_factory.mktemp("project")
    for spec in fold_specs(iris_spec(data=table[0], epochs=25), 3):
        train(RunFolder.create(project, iris_graph(), spec))
    return project


def labels_of(report):
    return next(result for result in report.checks if result.check == "labels").findings


@pytest.mark.row("N31")
def test_that_folds_find_the_wrong_labels_of_all_samples(folds, table):
    data, wrong = table
    report = whole(CheckDataHealth(data=data, project=str(folds)))
    assert (report.label_basis, report.label_samples) == ("folds", 150)
    (found,) = labels_of(report)
    assert found.problem.code == "D220"
    hits = wrong & set(found.surplus)
    assert len(hits) >= FLIPPED - 2
    assert len(found.surplus) <= 3 * FLIPPED
    first = found.samples[0]
    assert first.index in wrong
    assert first.predicted != first.label


def test_that_without_folds_only_what_the_last_run_did_not_learn_is_looked_at(table, tmp_path):
    data, wrong = table
    run = make_run(tmp_path, iris_graph(), data=data, epochs=25)
    train(run)
    report = whole(CheckDataHealth(data=data, project=str(tmp_path)))
    assert report.label_basis == "part"
    assert 40 <= report.label_samples <= 50
    found = labels_of(report)
    assert [each.problem.code for each in found] == ["D221"]
    assert {sample.part for sample in found[0].samples} <= {"validation", "test"}
    assert wrong & set(found[0].surplus)


def test_that_runs_on_other_data_and_runs_that_cannot_be_asked_are_no_basis(folds, table, tmp_path):
    other = whole(CheckDataHealth(data=DataSpec(source=Choice(type="iris")), project=str(folds)))
    assert other.label_basis == "none"
    assert all(result.check != "labels" for result in other.checks)
    project = shutil.copytree(folds, tmp_path / "copy")
    for checkpoint in project.glob("runs/*/checkpoints/*"):
        checkpoint.write_bytes(b"nothing")
    report = whole(CheckDataHealth(data=table[0], project=str(project)))
    assert report.label_basis == "none"
    found = [each.problem for each in labels_of(report)]
    assert found[0].code == "D222"
    assert len(found) > 1  # why not
    assert all(problem.severity == "hint" for problem in found)


def test_that_an_examination_goes_on_where_it_was_and_begins_anew_after_its_report():
    data = DataSpec(source=Choice(type="digits"), split=SplitSpec(seed=4))
    first = ask(CheckDataHealth(data=data, seconds=0))
    second = ask(CheckDataHealth(data=data, seconds=0))
    assert 0 < first.done < second.done
    whole(CheckDataHealth(data=data))
    assert ask(CheckDataHealth(data=data, seconds=0)).done == first.done


def test_that_an_examination_of_other_data_takes_the_place_of_the_first():
    digits = CheckDataHealth(data=DataSpec(source=Choice(type="digits")), seconds=0)
    first = ask(digits)
    ask(CheckDataHealth(data=DataSpec(source=Choice(type="wine")), seconds=0))
    assert ask(digits).done == first.done


def test_that_data_which_is_not_there_is_told(tmp_path):
    source = Choice(type="image_folder", params={"path": str(tmp_path / "gone")})
    with pytest.raises(DiagnosticError) as caught:
        ask(CheckDataHealth(data=DataSpec(source=source)))
    assert caught.value.problems[0].code == "D050"


def test_that_runs_on_files_that_were_changed_since_are_no_basis(table, tmp_path):
    data, _ = table
    path = tmp_path / "iris.csv"
    shutil.copy(str(data.source.params["path"]), path)
    source = Choice(type="table", params={**data.source.params, "path": str(path)})
    data = replace(data, source=source)
    train(make_run(tmp_path / "project", iris_graph(), data=data, epochs=2))
    asked = CheckDataHealth(data=data, project=str(tmp_path / "project"))
    assert whole(asked).label_basis == "part"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], *reversed(lines[1:])]))
    assert whole(asked).label_basis == "none"
