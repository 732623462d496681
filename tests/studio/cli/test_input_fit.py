"""Inputs that take what --set makes of the data: what does not fit names the option that helps."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from engine.graph.edit.edits import MoveNodes, SetParam, apply
from engine.graph.model import Graph
from engine.project import Project
from engine.query.ask import ask
from engine.query.model.request import Check
from engine.spec.data import DataInfo, FieldInfo
from engine.spec.defaults import fit_lost_targets
from engine.spec.run import Choice, LossTerm
from studio.cli.input_fit import fitted_graph, fitted_models, fitted_specs, way_out
from studio.cli.parser import build_parser
from studio.cli.train_command import changed_spec, fold_changes, set_changes
from tests.tiny_run import iris_spec

MORE = ("data.split.train=0.9", "data.split.validation=0.1", "data.split.test=0")
"""More of the samples are trained on."""

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
    (spec,) = fitted_specs(project.graph, project.spec.data, [spec], options)
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


@pytest.fixture
def classes(tmp_path):
    """Return a project of a database whose other table has one more class."""
    with closing(sqlite3.connect(tmp_path / "two.sqlite")) as base, base:
        for table, labels in (("a", "no"), ("b", "nop")):
            base.execute(f"create table {table} (x real, label text)")
            rows = [(at * 7 % 11 / 2, labels[at % len(labels)]) for at in range(60)]
            base.executemany(f"insert into {table} values (?, ?)", rows)
    return tmp_path / "two.sqlite"


OTHER_CLASSES = ["data.source.sheet=b"]


def test_that_an_untouched_model_has_as_many_outputs_as_the_data_has_classes(
    run, classes, tmp_path
):
    own = tmp_path / "own"
    assert run("new", own, "--data", classes).code == 0
    codes, way = errors(own, OTHER_CLASSES)
    assert (codes, "--fit-inputs" in way) == (["R035"], True)
    project = Project.open(own)
    moved = MoveNodes(positions=dict.fromkeys(project.graph.nodes, (7.0, 7.0)))
    project.graph = apply(moved, project.graph)
    project.save()
    assert errors(own, OTHER_CLASSES, "--fit-inputs") == ([], "")


def test_that_a_changed_model_is_said_to_keep_its_outputs(run, classes, tmp_path):
    own = tmp_path / "own"
    assert run("new", own, "--data", classes).code == 0
    project = Project.open(own)
    hidden = next(node.id for node in project.graph.nodes.values() if node.type == "Linear")
    project.graph = apply(SetParam(id=hidden, name="out_features", value=9), project.graph)
    project.save()
    codes, told = errors(own, OTHER_CLASSES, "--fit-inputs")
    assert codes == ["R035"]
    assert "as it was proposed" in told


def test_that_a_loss_takes_the_target_that_other_data_has(run, tmp_path, capsys):
    x = np.random.default_rng(0).normal(size=(60, 4)).astype(np.float32)
    np.savez(tmp_path / "classes.npz", x=x, y=x[:, :3].argmax(1))
    np.savez(tmp_path / "numbers.npz", x=x, y=x[:, 0])
    own = tmp_path / "own"
    assert run("new", own, "--data", tmp_path / "classes.npz").code == 0
    other = [f"data.source.path={tmp_path / 'numbers.npz'}"]
    codes, told = errors(own, [*other, "data.split.kind=random"])
    assert "R033" in codes
    assert "--fit-inputs" in told
    capsys.readouterr()
    assert errors(own, other, "--fit-inputs") == ([], "")
    said = capsys.readouterr().err
    assert "“MSELoss” in place of “CrossEntropyLoss”" in said
    assert "data.split.kind=random" in said
    _, told = errors(own, other)
    assert "--fit-inputs" in told  # the split alone is refused first


def test_that_the_target_of_a_loss_is_renamed_where_it_is_of_the_same_kind():
    label = FieldInfo(name="label", role="target", kind="class", shape=(), dtype="int64",
                      classes=("a", "b", "c"))  # fmt: skip
    before = DataInfo(source="table", samples=9, task="classification", fields=(label,))
    number = FieldInfo(name="size", role="target", kind="scalar", shape=(1,), dtype="float32")
    after = replace(before, fields=(number, replace(label, name="target")))
    term = LossTerm(loss=Choice(type="CrossEntropyLoss"),
                    inputs={"input": "model.out", "target": "data.label"})  # fmt: skip
    spec = iris_spec(losses=(term, term))
    changed, told = fit_lost_targets(spec, before, after, Graph())
    assert [each.inputs["target"] for each in changed.losses] == ["data.target"] * 2
    assert told == {"data.label": "data.target"}
    assert fit_lost_targets(spec, before, before, Graph()) == (spec, {})


def sentence(at: int) -> str:
    """Return a sentence with words and letters that no other has."""
    return f"the old {2 * chr(0x4E00 + at)} w{at} w{at} nice"


def written(folder, kind: str, count: int = 60) -> Path:
    """Return a source whose tokens depend on which samples are trained on."""
    path = folder / f"{kind}.txt"
    if kind == "folders":
        for at in range(count):
            file = folder / kind / "ab"[at % 2] / f"{at}.txt"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(sentence(at))
        return folder / kind
    if kind == "words":
        path = folder / "words.csv"
        rows = (f"{sentence(at)} and more of it,{'ny'[at % 2]}" for at in range(count))
        path.write_text("\n".join(("review,label", *rows)))
    elif kind == "pairs":
        rows = (f"{sentence(at)}\t{sentence(at + 1)} so" for at in range(count))
        path.write_text("\n".join(rows))
    else:
        path.write_text("\n".join(map(sentence, range(15 * count))))
    return path


@pytest.mark.parametrize("kind", ["words", "folders", "pairs", "letters"])
def test_that_tokens_of_another_split_are_refused_or_fitted(run, tmp_path, kind):
    own = tmp_path / "own"
    assert run("new", own, "--data", written(tmp_path, kind)).code == 0
    codes, way = errors(own, MORE)
    assert "R075" in codes
    assert "--fit-inputs" in way
    assert errors(own, MORE, "--fit-inputs") == ([], "")
    assert [model.errors for model in folded(own, 3)] == [[], [], []]


def folded(folder, folds: int):
    """Return the models of the folds of a project."""
    options = build_parser().parse_args(["train", str(folder), "--folds", str(folds)])
    project = Project.open(folder)
    specs = [changed_spec(project.spec, changes) for changes in fold_changes(options)]
    return fitted_models(project.graph, project.spec.data, specs, options)


@pytest.fixture
def rare(run, tmp_path):
    """Return a project of a table with categories of which most have one row."""
    rows = (f"{at * 7 % 11},{'rs'[at % 2] if at < 50 else f'one{at}'},{'ny'[at % 2]}"
            for at in range(60))  # fmt: skip
    (tmp_path / "rare.csv").write_text("\n".join(("x,color,label", *rows)))
    assert run("new", tmp_path / "rare", "--data", tmp_path / "rare.csv").code == 0
    return tmp_path / "rare"


def test_that_a_rare_category_fits_however_it_is_split(rare):
    for seed in range(6):
        assert errors(rare, [f"data.split.seed={seed}"]) == ([], "")
    assert errors(rare, MORE) == ([], "")
    own = Project.open(rare).graph
    assert [(model.graph, model.errors) for model in folded(rare, 3)] == [(own, [])] * 3


def test_that_a_category_without_a_row_is_refused_before_the_run_and_fitted(rare):
    project = Project.open(rare)
    (table,) = [node for node in project.graph.nodes.values() if node.type == "Embedding"]
    few = SetParam(id=table.id, name="num_embeddings", value=3)
    project.graph = apply(few, project.graph)
    project.save()
    codes, way = errors(rare, [])
    assert codes == ["R075"]
    assert "--fit-inputs" in way
    assert errors(rare, [], "--fit-inputs") == ([], "")
    sizes = [model.graph.nodes[table.id].params["num_embeddings"] for model in folded(rare, 3)]
    assert all(3 < size <= 13 for size in sizes)


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


def test_that_another_target_has_the_scale_and_the_loss_for_its_size(run, tmp_path, capsys):
    draw = np.random.default_rng(0)
    sides = draw.uniform(1, 9, (80, 2))
    sizes = np.stack([1e13 * sides.prod(1), sides[:, 0], 1e-6 * sides[:, 1]], 1)
    table = np.concatenate([sides, sizes], 1)
    head = "width,length,price,rooms,share"
    np.savetxt(tmp_path / "homes.csv", table, "%.6g", ",", header=head, comments="")
    own = tmp_path / "own"
    targets = "price,rooms,share"
    assert run("new", own, "--data", tmp_path / "homes.csv", "--target", targets).code == 0
    for target, loss in (("price", "MSELoss"), ("rooms,share", "ScaledMSELoss")):
        capsys.readouterr()
        assert errors(own, [f"data.source.target={target}"], "--fit-inputs") == ([], "")
        assert loss in capsys.readouterr().err
