"""Tables with a column that names text files: their texts are read as those of a column are."""

import csv
import random

import pytest
import torch
from msgspec.structs import replace

from engine.data.load.load import load_data
from engine.data.source import text_column
from engine.data.source.registry import load_source
from engine.diagnostics import DiagnosticError
from engine.query.ask import ask, write_predictions
from engine.query.data.request import BrowseSamples, ListColumns, LookAtSample, ProposeData
from engine.query.predicting.request import PredictFile
from engine.runs.record.state import RunStatus
from engine.spec.browse import SampleQuery
from engine.spec.run import Choice, DataSpec, LoaderSpec
from tests.tiny_run import make_run, train

GOOD = ("a lovely bright flat\nwith a view", "Wonderful garden: many flowers, ÄÖÜ")
BAD = ("a dark and noisy place near roads", "terrible smell\n\nand broken windows")


def text_of(row):
    draw = random.Random(row)
    return f"{draw.choice(BAD if row % 2 else GOOD)} {row}"


def written(path, rows):
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return path


def reports(folder, rows=40, **changes):
    """Write a table that names a text for each home; ``changes`` are cells of its second row."""
    (folder / "texts").mkdir(parents=True, exist_ok=True)
    cells = []
    for row in range(rows):
        (folder / f"texts/{row}.txt").write_text(text_of(row), encoding="utf-8")
        cells.append(
            {
                "report": f"texts/{row}.txt",
                "rooms": row % 5 + 1,
                "sold": "no" if row % 2 else "yes",
            }
        )
    cells[1] |= changes
    return written(folder / "homes.csv", cells)


def spec_of(path, **params):
    given = {"path": str(path), "kinds": "report=textfile", "length": 8, **params}
    return DataSpec(source=Choice(type="table", params=given))


def problem_of(spec):
    with pytest.raises(DiagnosticError) as caught:
        load_data(spec)
    return caught.value.problems[0]


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"tokens": "characters"},
        {"tokens": "bytes", "length": 30},
        {"tokens": "bpe", "vocabulary_size": 280},
        {"fill": "batch", "letters": "ascii"},
        {"target": "report"},
    ],
    ids=str,
)
def test_that_texts_of_files_are_the_samples_that_texts_in_the_table_are(tmp_path, params):
    read = load_data(spec_of(reports(tmp_path), **params))
    rows = [
        {"report": text_of(row), "rooms": row % 5 + 1, "sold": "no" if row % 2 else "yes"}
        for row in range(40)
    ]
    table = written(tmp_path / "inline.csv", rows)
    inline = load_data(spec_of(table, **{**params, "kinds": "report=text"}))
    assert read.info.fields == inline.info.fields
    assert any(info.words and info.kind == "sequence" for info in read.info.fields)
    for index in (0, 1, 39):
        one, other = read.raw([index]), inline.raw([index])
        assert list(one) == list(other)
        assert all(torch.equal(one[name], other[name]) for name in one)
    assert read.source.input_keys([0, 5]) == inline.source.input_keys([0, 5])
    column = "target length" if "target" in params else "report length"
    lengths = [data.source.column(column) for data in (read, inline)]
    assert lengths[0] is not None
    assert torch.equal(*lengths)


def test_that_the_encoding_of_each_file_is_found(tmp_path):
    path = reports(tmp_path)
    (tmp_path / "texts/0.txt").write_bytes("这是一个很明亮的房子，有花园\r\n很好".encode("gb18030"))
    (tmp_path / "texts/1.txt").write_bytes("größer und schöner".encode("utf-16"))
    source = load_source(spec_of(path).source)
    assert source.text("report", 0) == "这是一个很明亮的房子，有花园\n很好"
    assert source.text("report", 1) == "größer und schöner"


@pytest.mark.fault("F05")
@pytest.mark.parametrize(
    ("cell", "code"),
    [
        ("texts/none.txt", "D316"),
        ("texts", "D316"),
        ("../secret.txt", "D315"),
        ("linked.txt", "D315"),
        ("binary.txt", "D132"),
        ("long.txt", "D133"),
    ],
)
def test_that_a_file_that_is_not_read_is_told_with_its_row(tmp_path, monkeypatch, cell, code):
    folder = tmp_path / "data"
    path = reports(folder, report=cell)
    (tmp_path / "secret.txt").write_text("secret")
    (folder / "linked.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "binary.txt").write_bytes(bytes(range(256)) * 4)
    (folder / "long.txt").write_text("word " * 1000)
    monkeypatch.setattr(text_column, "LARGEST_FILE", 2000)
    problem = problem_of(spec_of(path))
    assert problem.code == code
    told = [str(value) for value in problem.params.values()]
    assert "3" in told
    assert "report" in told
    assert any(value.endswith(cell) for value in told)


def test_that_texts_that_are_too_large_together_are_refused(tmp_path, monkeypatch):
    path = reports(tmp_path)
    monkeypatch.setattr(text_column, "LARGEST_TEXT", 200)
    problem = problem_of(spec_of(path))
    assert (problem.code, problem.params["column"]) == ("D572", "report")


def test_that_rows_without_a_file_are_left_out_and_empty_files_are_named(tmp_path):
    path = reports(tmp_path, report="")
    (tmp_path / "texts/4.txt").write_text(" \n")
    data = load_data(spec_of(path))
    assert data.info.samples == 39
    found = {problem.code: problem for problem in data.info.problems}
    assert set(found) == {"D045", "D401"}
    assert found["D401"].params == {"count": 1, "names": "texts/4.txt"}


def test_that_a_changed_text_is_read_again_and_a_copy_is_the_same_sample(tmp_path):
    path = reports(tmp_path, rooms=1)
    spec = spec_of(path)
    source = load_source(spec.source)
    assert load_source(spec.source) is source
    assert source.input_keys([0]) != source.input_keys([1])
    (tmp_path / "texts/1.txt").write_text(text_of(0), encoding="utf-8")
    changed = load_source(spec.source)
    assert changed.text("report", 1) == text_of(0)
    assert changed.input_keys([0]) == changed.input_keys([1])
    assert changed.file("report", 1) == tmp_path / "texts/1.txt"


def test_that_a_column_of_text_files_is_proposed_where_the_files_are(tmp_path):
    path = reports(tmp_path)
    params = ask(ProposeData(path=str(path))).spec.data.source.params
    assert params["kinds"] == "report=textfile"
    assert "tokens" not in params
    longest = max(len(text_of(row).split()) for row in range(40))
    assert longest < params["length"] <= longest + 8
    path.write_text(path.read_text().replace("texts/", ""))
    params = ask(ProposeData(path=str(path))).spec.data.source.params
    assert (params["kinds"], params["folder"]) == ("report=textfile", str(tmp_path / "texts"))
    path.write_text(path.read_text().replace(".txt", ".md"))
    assert "textfile" not in str(ask(ProposeData(path=str(path))).spec.data.source.params)
    for row in range(40):
        (tmp_path / f"texts/{row}.md").write_text("很明亮的房子有花园" * (row + 1))
    params = ask(ProposeData(path=str(path))).spec.data.source.params
    assert (params["kinds"], params["tokens"]) == ("report=textfile", "characters")
    assert params["length"] == 256


def test_that_samples_show_the_text_and_its_file(tmp_path):
    spec = spec_of(reports(tmp_path))
    listed = ask(ListColumns(data=spec))
    roles = {column.name: (column.kind, column.role) for column in listed.columns}
    assert roles["report"] == ("text", "input")
    assert roles["report length"][0] == "number"
    rows = ask(BrowseSamples(data=spec, query=SampleQuery(), start=0, count=3)).rows
    cells = " ".join(str(cell) for row in rows for cell in row.cells)
    assert text_of(2).split("\n")[0] in cells
    assert "texts/2.txt" not in cells
    details = ask(LookAtSample(data=spec, index=2, side=64))
    assert details.texts["report"] == text_of(2)
    assert details.tokens["report"][0].text == text_of(2).split()[0].lower()
    assert details.files == (str(tmp_path / "texts/2.txt"),)


def test_that_a_proposed_run_learns_from_text_files_and_predicts_new_ones(tmp_path):
    found = ask(ProposeData(path=str(reports(tmp_path / "here", rows=60))))
    changes = {name: getattr(found.spec, name) for name in ("losses", "optimizer")}
    data = replace(found.spec.data, loader=LoaderSpec())
    run = make_run(tmp_path / "p", found.graph, data=data, epochs=8, **changes)
    state = train(run)
    assert state.status is RunStatus.FINISHED
    assert state.metrics["validation.accuracy"] > 0.8
    new = reports(tmp_path / "new", rows=8, report="texts/none.txt")
    question = PredictFile(
        run_folder=str(run.path),
        checkpoint="last",
        data=str(new),
        output=str(tmp_path / "out.csv"),
        on_damaged="skip",
    )
    report = write_predictions(question)
    assert (report.samples, report.skipped) == (7, 1)
    with (tmp_path / "out.csv").open(encoding="utf-8-sig") as stream:
        rows = list(csv.DictReader(stream))
    assert sum(row["prediction"] == row["sold"] for row in rows) >= 6
