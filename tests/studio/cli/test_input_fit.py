"""Inputs that take what --set makes of the data: what does not fit names the option that helps."""

import random

import pytest

from engine.project import Project
from engine.query.ask import ask
from engine.query.model.request import Check
from studio.cli.input_fit import fitted_graph, way_out
from studio.cli.parser import build_parser
from studio.cli.train_command import changed_spec, set_changes

BATCHES = (
    "data.source.fill=batch",
    "data.sampler=bucketed",
    "data.padding_info=mask",
)


@pytest.fixture
def texts(tmp_path):
    words = {"good": ("good", "nice", "fine"), "bad": ("bad", "poor", "sad")}
    for name, own in words.items():
        (tmp_path / "texts" / name).mkdir(parents=True)
        for at in range(20):
            drawn = random.Random(at).choices((*own, "a", "the"), k=3 + at)
            (tmp_path / "texts" / name / f"{at}.txt").write_text(" ".join(drawn))
    return tmp_path / "texts"


@pytest.fixture
def table(tmp_path):
    rows = "".join(f"{at * 7 % 11},{'rgb'[at % 3]},{'ny'[at % 2]}\n" for at in range(60))
    (tmp_path / "rows.csv").write_text(f"x,color,label\n{rows}")
    return tmp_path / "rows.csv"


def errors(folder, settings, *more):
    """Return the errors of a project with settings of the terminal, and the way out it names."""
    words = ["train", str(folder), *more, *(part for name in settings for part in ("--set", name))]
    options = build_parser().parse_args(words)
    project = Project.open(folder)
    spec = changed_spec(project.spec, set_changes(options))
    graph = fitted_graph(project.graph, project.spec.data, spec, options)
    found = ask(Check(graph=graph, spec=spec)).problems
    wrong = [problem for problem in found if problem.severity == "error"]
    return [problem.code for problem in wrong], way_out(wrong, options)


@pytest.mark.parametrize("size", ["small", "large"])
def test_that_a_model_for_texts_takes_batches_of_the_longest(run, texts, tmp_path, size):
    assert run("new", tmp_path / "own", "--data", texts, "--size", size).code == 0
    codes, told = errors(tmp_path / "own", BATCHES)
    assert codes == ["R012"]
    assert "--fit-inputs" in told
    assert errors(tmp_path / "own", BATCHES, "--fit-inputs") == ([], "")


def test_that_a_model_for_a_table_takes_other_columns(run, table, tmp_path):
    assert run("new", tmp_path / "own", "--data", table).code == 0
    one_hot = ["data.source.categories=one_hot"]
    assert errors(tmp_path / "own", one_hot)[0] == ["R012", "R011"]
    assert errors(tmp_path / "own", one_hot, "--fit-inputs") == ([], "")


def test_that_a_changed_model_keeps_its_layers(run, texts, tmp_path):
    assert run("new", tmp_path / "own", "--data", texts).code == 0
    options = build_parser().parse_args(["train", str(tmp_path / "own"), "--fit-inputs"])
    project = Project.open(tmp_path / "own")
    graph = fitted_graph(project.graph, project.spec.data, project.spec, options)
    assert graph == project.graph


@pytest.mark.real
def test_that_batches_of_the_longest_train(run, texts, tmp_path):
    assert run("new", tmp_path / "own", "--data", texts).code == 0
    settings = [part for name in BATCHES for part in ("--set", name)]
    train = ("train", tmp_path / "own", "--epochs", 2, "--mode", "thread", *settings)
    refused = run(*train)
    assert refused.code == 1
    assert "--fit-inputs" in refused.err
    done = run(*train, "--fit-inputs", "--json")
    assert done.code == 0
    assert done.json()["state"] == "finished"
    again = run("train", tmp_path / "own", "--resume", "latest", "--fit-inputs")
    assert again.code == 2
