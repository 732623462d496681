"""Words among numbers that say that a value is missing."""

from pathlib import Path

import pytest
import torch

from engine.data.load.load import load_data
from engine.data.load.part_statistics import missing_values
from engine.data.read.absent import says_missing
from engine.data.source.registry import load_source
from engine.data.source.table import TableSource
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.query.data.proposal import propose_data
from engine.query.data.request import ProposeData
from engine.spec.run import Choice, DataSpec


def file(folder: Path, cells: list[str]) -> Path:
    path = folder / "houses.csv"
    rows = "".join(f"{cell};{at % 3 + at};{at % 7}\n" for at, cell in enumerate(cells))
    path.write_text(f"area;year;price\n{rows}", encoding="utf-8")
    return path


def source_of(path: Path, **params: str) -> TableSource:
    source = load_source(Choice(type="table", params={"path": str(path), **params}))
    assert isinstance(source, TableSource)
    return source


def told(path: Path, **params: str) -> dict[str, Diagnostic]:
    source = Choice(type="table", params={"path": str(path), **params})
    return {each.code: each for each in load_data(DataSpec(source=source)).info.problems}


def numbers(count: int) -> list[str]:
    return [f"{at},5" for at in range(count)]


@pytest.mark.parametrize(
    "word",
    [
        "k.A.",
        "k. A.",
        "N.A.",
        "keine Angabe",
        "Unbekannt",
        "(unknown)",
        "–",
        "无",
        "未知",
        "s/o",
        "?",
    ],
)
def test_that_words_for_missing_are_known_however_they_are_written(word: str):
    assert says_missing(word)


@pytest.mark.parametrize("word", ["high", "12 ca.", "kA1", "不多"])
def test_that_other_words_say_something(word: str):
    assert not says_missing(word)


@pytest.mark.parametrize("words", [["k.A."], ["k.A."] * 5 + ["unbekannt"], ["anders"] * 3])
def test_that_words_for_missing_are_missing_numbers_and_told(tmp_path: Path, words: list[str]):
    path = file(tmp_path, [*numbers(60), *words])
    source = source_of(path)
    values = source.column("area")
    assert values is not None
    assert values[:3].tolist() == [0.5, 1.5, 2.5]
    assert bool(values[60:].isnan().all())
    problem = told(path)["D700"]
    assert (problem.params["column"], problem.params["count"]) == ("area", len(words))
    assert all(f"“{word}”" in str(problem.params["words"]) for word in words)
    assert problem.field == "data.source.kinds"
    features = next(each for each in source.fields if each.info.name == "features")
    assert bool(features.values.isfinite().all())


def test_that_a_word_that_comes_once_or_has_digits_is_told_as_wrong(tmp_path: Path):
    for strange in (["anders"], ["über 100"] * 4):
        with pytest.raises(DiagnosticError) as caught:
            source_of(file(tmp_path, [*numbers(60), *strange, "k.A."]))
        problem = caught.value.problems[0]
        assert (problem.code, problem.params["value"]) == ("D028", strange[0])
        assert problem.params["count"] == len(strange)


def test_that_a_column_of_words_is_no_column_of_missing_numbers(tmp_path: Path):
    path = file(tmp_path, [*numbers(10), *["low", "high", "middle"] * 20])
    with pytest.raises(DiagnosticError) as caught:
        source_of(path, kinds="area=number")
    assert caught.value.problems[0].code == "D028"
    empty = file(tmp_path, ["unknown"] * 60)
    with pytest.raises(DiagnosticError):
        source_of(empty, kinds="area=number")


def test_that_many_missing_measures_leave_numbers_but_numbers_of_classes_are_classes(
    tmp_path: Path,
):
    path = file(tmp_path, [*numbers(60), *["unbekannt"] * 40])
    area = propose_data(ProposeData(path=str(path))).table[0]
    assert (area.kind, area.missing) == ("number", 40)
    classes = file(tmp_path, [*("123" * 20), *["unknown"] * 40])
    assert propose_data(ProposeData(path=str(classes))).table[0].kind == "category"


def test_that_a_unit_stays_known_beside_words(tmp_path: Path):
    path = file(tmp_path, [*(f"{at} kg" for at in range(60)), *["k.A."] * 4])
    values = source_of(path).column("area")
    assert values is not None
    assert values[:3].tolist() == [0, 1, 2]


def test_that_a_typed_row_may_have_the_word_too(tmp_path: Path):
    form = source_of(file(tmp_path, [*numbers(60), *["k.A."] * 4])).row_form
    assert form is not None
    row = {"area": "k.A.", "year": "5"}
    assert torch.equal(form.values(row)["features"], form.values(row | {"area": ""})["features"])
    with pytest.raises(DiagnosticError):
        form.values(row | {"area": "anders"})


def test_that_rows_whose_target_is_such_a_word_are_left_out(tmp_path: Path):
    path = file(tmp_path, [*numbers(60), *["k.A."] * 4])
    source = source_of(path, target="area")
    assert source.samples == 60
    assert {"D045", "D700"} <= {*told(path, target="area")}


def test_that_the_statistics_count_them_as_missing(tmp_path: Path):
    source = source_of(file(tmp_path, [*numbers(60), "", *["k.A."] * 4]))
    assert {each.column: each.missing for each in missing_values(source)}["area"] == 5
