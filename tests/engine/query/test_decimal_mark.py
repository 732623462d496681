"""Decimal marks of tables to predict: as the file tells, by the values of training, and told."""

import csv
from collections.abc import Sequence
from pathlib import Path

import pytest

from engine.data.load.trained_numbers import TrainedNumbers
from engine.data.read.row import NumberCell
from engine.diagnostics import DiagnosticError
from engine.query.ask import ask, write_predictions
from engine.query.decimal_mark import marks_of_rows
from engine.query.predicting.request import PredictFile, PredictionReport
from engine.query.results.request import DescribeModel, Predict, Prediction
from engine.runs.folder import RunFolder
from engine.spec.table import TableFormat
from tests.exported_kinds import Kind, proposed
from tests.tiny_run import train

POINTS = [f"{1 + number % 9}.{(number * 37) % 899 + 100}" for number in range(60)]
COMMAS = [number.replace(".", ",") for number in POINTS]
SMALL, LARGE, WIDE = (1.2, 9.5), (1200.0, 9500.0), (0.1, 90_000.0)


def marks(
    cells: Sequence[str],
    *,
    delimiter: str = ",",
    usual: str = ".",
    span: tuple[float, float] = SMALL,
    other: Sequence[str] = (),
    trained: TableFormat | None = None,
) -> tuple[str, list[str]]:
    """Return the mark that is found for a column, and the codes of what is told."""
    beside = other or [""] * len(cells)
    found, told = marks_of_rows(
        [NumberCell("a", "number", None, usual)],
        [{"a": cell, "b": more} for cell, more in zip(cells, beside, strict=True)],
        TableFormat(kind="csv", delimiter=delimiter),
        TrainedNumbers(trained, {"a": span}),
    )
    return found["a"], [each.code for each in told]


@pytest.mark.parametrize(
    ("cells", "choices", "mark"),
    [
        (POINTS, {"usual": ","}, "."),  # a comma divides the cells, so it is no decimal mark
        ([*POINTS, "0.5"], {"delimiter": ";", "usual": ","}, "."),
        ([*COMMAS, "12,25"], {"delimiter": ";"}, ","),
        ([*COMMAS, "0,845"], {"delimiter": ";"}, ","),
        ([*COMMAS, "1.234,5"], {"delimiter": "\t"}, ","),
        (COMMAS, {"delimiter": ";", "other": ["0,5"] * 60}, ","),  # the rest of the file tells
        (COMMAS, {"delimiter": ";", "usual": ","}, ","),  # as in training
        (COMMAS, {"usual": ".", "span": LARGE}, "."),  # in quotes, thousands as in training
        (["1", "20"], {"usual": ","}, ","),
    ],
)
def test_that_a_mark_is_read_from_the_file_without_a_word(cells, choices, mark):
    assert marks(cells, **choices) == (mark, [])


@pytest.mark.parametrize(
    ("cells", "choices", "told"),
    [
        (COMMAS, {"delimiter": ";"}, (",", ["D618"])),
        (POINTS, {"delimiter": ";", "usual": ","}, (".", ["D618"])),
        (COMMAS, {"delimiter": ";", "span": WIDE}, (".", ["D617"])),
        (POINTS, {"delimiter": ";", "usual": ",", "span": WIDE}, (",", ["D617"])),
        (POINTS, {"span": LARGE}, (".", ["D618"])),  # as the file tells, but far from training
    ],
)
def test_that_numbers_which_can_be_read_both_ways_are_told(cells, choices, told):
    assert marks(cells, **choices) == told


def test_that_a_mark_chosen_for_training_stays_that_of_a_file_of_the_same_kind():
    chosen = TableFormat(kind="csv", delimiter=",", decimal=",", is_decimal_chosen=True)
    thousands = {"usual": ",", "span": LARGE, "trained": chosen}
    assert marks([*POINTS, "0.5"], **thousands) == (",", [])
    assert marks(POINTS, delimiter=";", **thousands) == (",", [])


def write(path: Path, numbers: Sequence[str], delimiter: str) -> Path:
    with path.open("w", newline="", encoding="utf-8") as stream:
        rows = csv.writer(stream, delimiter=delimiter)
        rows.writerow(("a", "b", "y"))
        rows.writerows((one, one, "AB"[number % 2]) for number, one in enumerate(numbers))
    return path


def predict(run: RunFolder, data: Path, **choices: object) -> PredictionReport:
    output = data.with_suffix(".jsonl")
    request = PredictFile(
        run_folder=str(run.path), checkpoint="last", data=str(data), output=str(output), **choices
    )
    return write_predictions(request)


@pytest.mark.parametrize("is_comma", [False, True])
def test_that_the_same_rows_are_predicted_alike_with_either_mark(tmp_path, is_comma):
    points = write(tmp_path / "points.csv", POINTS, ",")
    commas = write(tmp_path / "commas.csv", COMMAS, ";")
    kind = Kind(make=lambda _folder: commas if is_comma else points)
    run = RunFolder.create(tmp_path / "project", *proposed(kind, tmp_path))
    train(run)
    by_points, by_commas = predict(run, points), predict(run, commas)
    assert by_points.rows == by_commas.rows
    assert [each.code for each in by_points.notices] == []
    assert {each.code for each in by_commas.notices} == (set() if is_comma else {"D618"})
    chosen = predict(run, commas, decimal="point", overwrite=True)
    assert chosen.rows != by_commas.rows
    assert not chosen.notices


@pytest.mark.parametrize("is_comma", [False, True])
def test_that_a_typed_row_may_have_either_mark_and_what_is_open_is_told(tmp_path, is_comma):
    cells = [f"{1 + at % 900}.{at % 9}" for at in range(900)]
    file = write(tmp_path / "t.csv", [c.replace(".", ",") if is_comma else c for c in cells], ";")
    run = RunFolder.create(tmp_path / "project", *proposed(Kind(make=lambda _: file), tmp_path))
    train(run)
    inputs = ask(DescribeModel(run_folder=str(run.path), checkpoint="last"))
    row = {column.name: column.text for column in inputs.columns}

    def answer(cell: str) -> Prediction:
        typed = {**row, "a": cell}
        return ask(Predict(run_folder=str(run.path), checkpoint="last", values={}, cells=typed))

    point, comma = answer("250.5"), answer("250,5")
    assert point.values == comma.values
    assert not (*point.notices, *comma.notices)
    mark = "," if is_comma else "."
    assert not answer(f"25{mark}125").notices  # as in the data
    (told,) = answer("25.125" if is_comma else "25,125").notices
    assert (told.code, told.params["whole"]) == ("D620", "25125")
    for typed in (str(told.params["whole"]), str(told.params["fraction"])):
        assert not answer(typed).notices
    with pytest.raises(DiagnosticError) as caught:
        answer("25,1,2")
    assert caught.value.problems[0].code == "D461"
