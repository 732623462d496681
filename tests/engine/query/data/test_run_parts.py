"""In which parts samples are shown beside what a run made of them, when data has grown since."""

import shutil
from collections import Counter, OrderedDict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from msgspec.structs import replace

from engine.data.browse import predicted
from engine.data.load.load import load_data
from engine.query.ask import ask
from engine.query.data.request import BrowseSamples, FindParts, ListColumns, ListValues
from engine.query.density.request import CountSamples, DensitySpec
from engine.query.embedding.request import MapActivations, MapSamples, MapSpec
from engine.query.results import answer
from engine.query.results.request import PredictSamples
from engine.runs.folder import RunFolder
from engine.spec.browse import NEW, PART, PARTS_OF_RUN, SampleQuery
from engine.spec.data_path import data_key
from engine.spec.run import Choice, DataSpec, LossTerm
from tests.tiny_run import chain, make_run, node, train

PARTS = ("train", "validation", "test")
ROWS = [f"{n}.5,{n % 7},{'low' if n % 10 < 5 else 'high'}" for n in range(60)]
ADDED = ["100.5,3,low", "101.5,4,high", "102.5,5,low"]


class Grown(NamedTuple):
    """A run on a table that has rows in its middle now that it had not; ``before`` are the parts of
    the rows by their first cell.
    """

    run: RunFolder
    data: DataSpec
    before: dict[float, str]


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(predicted, "cache_folder", lambda _name: tmp_path)
    monkeypatch.setattr(predicted, "_kept", OrderedDict())
    monkeypatch.setattr(answer, "_predicting", {})


def write(path, rows):
    path.write_text("\n".join(["a,b,kind", *rows]) + "\n", encoding="utf-8")


def first_cells(data: DataSpec, key: str = "", part: Any = "all") -> dict[float, str]:
    """Return the part of each sample that is listed, by what is in its first column of data."""
    query = SampleQuery(part=part)
    rows = ask(BrowseSamples(data=data, predictions=key, query=query, count=1000)).rows
    values = load_data(data, is_normalized=False).source.read([row.index for row in rows])
    firsts = values["features"][:, 0].tolist()
    return {first: row.cells[1] for first, row in zip(firsts, rows, strict=True)}


@pytest.fixture(scope="module")
def grown(tmp_path_factory) -> Grown:
    tmp_path = tmp_path_factory.mktemp("grown")
    table = tmp_path / "table.csv"
    write(table, ROWS)
    data = DataSpec(source=Choice(type="table", params={"path": str(table), "target": "kind"}))
    graph = chain(
        node("Input", "features", field="features", shape=(2,)),
        node("Linear", "head", out_features=2),
        node("Output", "logits"),
    )
    loss = LossTerm(
        loss=Choice(type="CrossEntropyLoss"),
        inputs={"input": "model.logits", "target": "data.label"},
    )
    data = replace(data, batch_size=16)
    before = first_cells(data)
    run = make_run(tmp_path / "project", graph, data=data, losses=(loss,), epochs=1)
    train(run)
    write(table, [*ROWS[:20], *ADDED, *ROWS[20:]])
    return Grown(run, data, before)


def predict(run: RunFolder) -> str:
    step = ask(PredictSamples(run_folder=str(run.path), seconds=60))
    assert step.has_parts
    return step.key


def test_that_samples_are_listed_in_the_parts_of_the_run_and_new_ones_in_none(grown):
    key = predict(grown.run)
    found = first_cells(grown.data, key + PARTS_OF_RUN)
    new = {float(row.split(",")[0]) for row in ADDED}
    assert {first for first, part in found.items() if part == NEW} == new
    assert {first: part for first, part in found.items() if first not in new} == grown.before
    tested = first_cells(grown.data, key + PARTS_OF_RUN, "test")
    assert tested == {first: part for first, part in grown.before.items() if part == "test"}
    request = ListValues(data=grown.data, column=PART, predictions=key + PARTS_OF_RUN)
    values = ask(request)
    counts = dict(zip(values.values, values.counts, strict=True))
    assert counts == Counter(grown.before.values()) | Counter({NEW: len(ADDED)})


def test_that_what_is_counted_of_a_class_is_of_the_parts_in_which_samples_are_listed(grown):
    key = predict(grown.run)
    listed = ask(ListColumns(data=grown.data, predictions=key + PARTS_OF_RUN))
    counts = Counter(grown.before.values()) | Counter({NEW: len(ADDED)})
    assert {part.name: part.samples for part in listed.parts} == counts
    assert {part.name: sum(part.class_counts) for part in listed.parts} == counts
    added = Counter(row.rpartition(",")[2] for row in ADDED)
    new = listed.parts[-1]
    assert dict(zip(("high", "low"), new.class_counts, strict=True)) == added
    assert ask(ListColumns(data=grown.data, predictions=key)).parts == ()


def test_that_without_the_run_they_are_in_the_parts_that_the_next_one_gets(grown):
    key = predict(grown.run)
    indices = load_data(grown.data).indices
    wanted = {at: part for part, each in indices.items() for at in each.tolist()}
    for name in ("", key):
        rows = ask(BrowseSamples(data=grown.data, predictions=name, count=1000)).rows
        assert {row.index: row.cells[1] for row in rows} == wanted
    of_run = first_cells(grown.data, key + PARTS_OF_RUN)
    assert [of_run[first] for first in grown.before] != [
        part for first, part in first_cells(grown.data).items() if first in grown.before
    ]


def test_that_the_parts_of_a_run_have_the_edits_that_it_had(grown):
    names = load_data(grown.data).source.sample_names([0, 1])
    edits = grown.data.edits.of(data_key(grown.data.source)).moved(names, "test")
    later = replace(grown.data, edits=edits)
    assert [part for _, part in list(first_cells(later).items())[:2]] == ["test", "test"]
    key = predict(grown.run) + PARTS_OF_RUN
    assert first_cells(later, key) == first_cells(grown.data, key)


def test_that_what_was_opened_before_the_data_grew_predicts_all_samples(grown):
    table = Path(grown.data.source.params["path"])
    before = len(first_cells(grown.data, predict(grown.run)))
    content = table.read_text("utf-8")
    try:
        table.write_text(f"{content}200.5,1,low\n", encoding="utf-8")
        found = first_cells(grown.data, predict(grown.run) + PARTS_OF_RUN)
        assert (len(found), found[200.5]) == (before + 1, NEW)
    finally:
        table.write_text(content, encoding="utf-8")


def test_that_chosen_samples_are_sought_in_the_parts_of_the_run(grown):
    firsts = list(first_cells(grown.data))
    tested = tuple(at for at, first in enumerate(firsts) if grown.before.get(first) == "test")
    assert len(tested) > 3
    found = ask(FindParts(run_folder=str(grown.run.path), indices=(*tested, 10**6, -1)))
    assert found.counts == {"train": 0, "validation": 0, "test": len(tested)}


def test_that_a_map_and_its_counts_have_the_parts_of_the_run(grown):
    key = predict(grown.run) + PARTS_OF_RUN
    numbers = Counter(PARTS.index(part) for part in grown.before.values()) | Counter({3: 3})
    spec = MapSpec(count=500)
    run = str(grown.run.path)
    questions = (
        MapSamples(data=grown.data, spec=spec, predictions=key, is_new=True, seconds=60),
        MapActivations(run_folder=run, spec=spec, is_new=True, seconds=60),
    )
    for question in questions:
        told = ask(question).map
        assert told.has_run_parts
        assert Counter(np.frombuffer(told.parts, np.int8).tolist()) == numbers
    alone = replace(questions[0], spec=replace(spec, parts=("test",)))
    assert set(np.frombuffer(ask(alone).map.parts, np.int8).tolist()) == {2}
    density = DensitySpec(x="a", y="b", groups="part")
    question = CountSamples(data=grown.data, spec=density, predictions=key, is_new=True, seconds=60)
    counted = ask(question).density
    totals = np.frombuffer(counted.counts, np.uint32).reshape(4, -1).sum(axis=1).tolist()
    assert dict(enumerate(totals)) == numbers
    next_run = ask(replace(questions[0], predictions="")).map
    assert not next_run.has_run_parts
    assert set(np.frombuffer(next_run.parts, np.int8).tolist()) == {0, 1, 2}


def test_that_a_run_that_has_kept_no_parts_lists_those_of_the_next_one(grown):
    path = grown.run.path.with_name("older")
    shutil.copytree(grown.run.path, path)
    (path / "artefacts" / "parts.msgpack").unlink()
    step = ask(PredictSamples(run_folder=str(path), seconds=60))
    assert step.key
    assert not step.has_parts
    assert first_cells(grown.data, step.key + PARTS_OF_RUN) == first_cells(grown.data)
