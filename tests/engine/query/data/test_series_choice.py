"""Tables that are time series, texts that are tables, and texts that are none."""

import random
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from engine.data.load.load import load_split
from engine.data.source.registry import load_source
from engine.diagnostics import DiagnosticError
from engine.query.data.peek import peek_data
from engine.query.data.proposal import propose_data
from engine.query.data.request import PeekData, ProposeData
from engine.query.data.source_choice import source_of
from engine.spec.proposal import Answers
from engine.spec.run import DataSpec, SplitSpec

START = datetime(2024, 1, 1)  # noqa: DTZ001
DAYS = [START + timedelta(n) for n in range(200)]


def written(folder: Path, lines: list[str], name: str = "load.csv") -> Path:
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def rows(time: Callable[[int], str], names: str = "load,temperature") -> list[str]:
    return [f"time,{names}", *(f"{time(n)},{n % 24}.5,{n % 7}" for n in range(120))]


@pytest.mark.parametrize(
    "time",
    [
        lambda n: f"{START + timedelta(hours=n):%Y-%m-%d %H:%M}",
        lambda n: f"{START + timedelta(n):%d %b %Y}",
        lambda n: f"{START + timedelta(n):%d.%m.%Y}",
        lambda n: f"{[day for day in DAYS if day.weekday() < 5][n]:%Y-%m-%d}",
        lambda n: f"{1990 + n // 12}-{n % 12 + 1:02}",
        lambda n: f"{1990 + n // 4}Q{n % 4 + 1}",
        lambda n: f"{n / 10:.1f}",
        lambda n: str(1_700_000_000 + 60 * n),
    ],
)
def test_that_numbers_in_the_order_of_a_time_are_a_series(
    tmp_path: Path, time: Callable[[int], str]
):
    proposal = propose_data(ProposeData(path=str(written(tmp_path, rows(time)))))
    source = proposal.spec.data.source
    assert source.type == "series"
    assert (source.params["time"], source.params["targets"]) == ("time", "temperature")
    assert proposal.spec.data.split.kind == "sequential"
    assert [field.shape for field in proposal.info.fields] == [(24, 2), (1,)]
    assert proposal.graph is not None
    assert float(str(proposal.spec.optimizer.params["lr"])) > 0.001  # targets have any size


def test_that_rows_are_put_into_the_order_of_dates_in_words(tmp_path):
    lines = rows(lambda n: f"{START + timedelta(n):%d %b %Y}")
    turned = written(tmp_path, [lines[0], *reversed(lines[1:])], "turned.csv")
    answers = Answers(source="series", params={"time": "time", "targets": "load"})
    found = propose_data(ProposeData(path=str(turned), answers=answers))
    ahead = load_source(source_of(written(tmp_path, lines)))
    behind = load_source(found.spec.data.source)
    assert ahead.read([3])["series"].equal(behind.read([3])["series"])


def test_that_a_series_forecasts_what_is_named(tmp_path):
    def day(n: int) -> str:
        return f"{START + timedelta(n):%Y-%m-%d}"

    path = written(tmp_path, rows(day, "close,volume"))
    assert source_of(path).params["targets"] == "close"
    proposal = propose_data(ProposeData(path=str(path), target="volume"))
    assert proposal.spec.data.source.params["targets"] == "volume"
    answers = Answers(source="table")
    assert (
        propose_data(ProposeData(path=str(path), answers=answers)).spec.data.source.type == "table"
    )


@pytest.mark.parametrize(
    "lines",
    [
        [f"{START + timedelta(n * n):%Y-%m-%d},{n},{n % 7}" for n in range(90)],
        [f"{START + timedelta(n % 30):%Y-%m-%d},{n},{n % 7}" for n in range(90)],
        [f"{START + timedelta(n):%Y-%m-%d},{n},{'abc'[n % 3]}" for n in range(90)],
        [f"{START + timedelta(n):%Y-%m-%d},{n},{'' if n % 9 else n}" for n in range(90)],
        [f"{START + timedelta(n):%Y-%m-%d},{n},{n % 7}" for n in range(12)],
        [f"{n / 7:.2f},{n},{n % 7}" for n in range(90)],
    ],
    ids=["irregular", "again", "words", "gaps", "few", "no time"],
)
def test_that_other_tables_stay_tables(tmp_path, lines):
    assert source_of(
        written(tmp_path, ["x,a,b" if "." in lines[0] else "date,a,b", *lines])
    ).type == ("table")


@pytest.mark.parametrize("gaps", [(3, 40), range(390, 400)])
def test_that_a_series_with_few_gaps_is_one_and_they_are_told(tmp_path, gaps):
    lines = [
        f"{START + timedelta(n):%Y-%m-%d},{n},{'' if n in gaps else n % 7}" for n in range(400)
    ]
    proposal = propose_data(ProposeData(path=str(written(tmp_path, ["date,a,b", *lines]))))
    assert proposal.spec.data.source.type == "series"
    told = {each.code: each for each in proposal.info.problems}
    assert told["D693"].params["count"] == len(gaps)


def test_that_a_series_with_many_late_gaps_is_opened_as_a_table(tmp_path):
    lines = [f"{START + timedelta(n):%Y-%m-%d},{n},{n % 7 if n < 300 else ''}" for n in range(400)]
    path = written(tmp_path, ["date,a,b", *lines])
    assert source_of(path).type == "series"  # by its first rows
    assert propose_data(ProposeData(path=str(path))).spec.data.source.type == "table"
    said = propose_data(ProposeData(path=str(path), answers=Answers(source="series")))
    assert "D693" in {each.code for each in said.info.problems}
    words = [*lines[:-1], lines[-1] + "warm"]
    path = written(tmp_path, ["date,a,b", *words])
    with pytest.raises(DiagnosticError) as caught:
        propose_data(ProposeData(path=str(path), answers=Answers(source="series")))
    assert caught.value.problems[0].code in ("D122", "D124")


def test_that_a_series_has_no_columns_to_be_split_by(tmp_path):
    lines = [f"{START + timedelta(n):%Y-%m-%d},{n},{n % 7}" for n in range(90)]
    path = written(tmp_path, ["date,a,b", *lines])
    split = SplitSpec(kind="time", column="date")
    with pytest.raises(DiagnosticError) as caught:
        load_split(DataSpec(source=source_of(path), split=split))
    assert caught.value.problems[0].code == "D570"


TABLES = {
    "tabs": ["a\tb\tc", *(f"{n}\t{n / 3:.2f}\t{n % 2}" for n in range(40))],
    "semicolons": ["größe;farbe;preis", *(f"{n},5;rot;{n}" for n in range(40))],
    "commas": ["name,age,city", *(f"Ann {n},{n % 60},Rome" for n in range(40))],
    "quotes": ["name,age", *(f'"Lee, Ann {n}",{n % 60}' for n in range(40))],
    "spaces": [f"{n / 3:.3f} {n / 7:.3f} {n % 5}" for n in range(40)],
    "words": [
        f"{['red', 'blue', 'green'][n % 3]}|{'XL'[n % 2]}|{['yes', 'no'][n % 2]}" for n in range(40)
    ],
    "two of numbers": [f"{n / 3:.3f}\t{n}" for n in range(40)],
}
TEXTS = {
    "running": ["It was a day, as any other.", "Then he came, and all was new.", "So it went, on."]
    * 9,
    "lines": [f"line {n} of some text" for n in range(40)],
    "pairs": [f"good day {n}\tguten Tag {n}" for n in range(40)],
    "labels": [f"{n % 2}\tthis film was {n} times as good as that" for n in range(40)],
    "classes": [f"this film was {n} times as good\t{['good', 'bad'][n % 2]}" for n in range(40)],
    "two": ["a,1", "b,2"],
}


@pytest.mark.parametrize("name", TABLES)
def test_that_a_text_of_rows_is_a_table(tmp_path, name):
    path = written(tmp_path, TABLES[name], "data.txt")
    assert source_of(path).type == "table"
    peek = peek_data(PeekData(path=str(path)))
    assert len(peek.rows) == 12
    assert not peek.lines
    read = propose_data(ProposeData(path=str(path), answers=Answers(source="text")))
    assert read.spec.data.source.type == "text"
    assert {"table", "series", "text"} <= set(read.sources)


@pytest.mark.parametrize("name", TEXTS)
def test_that_sentences_stay_a_text(tmp_path, name):
    path = written(tmp_path, TEXTS[name], "data.txt")
    assert source_of(path).type == "text"
    assert peek_data(PeekData(path=str(path))).lines


def with_weekdays(folder: Path) -> Path:
    """Write loads with decimal commas and, last, the day of the week."""
    week = ["Mo", "Di", "Mi", "Do", "Fr", "Sa", "So"]
    lines = [
        f"{START + timedelta(hours=n):%d.%m.%Y %H:%M};{n % 24},25;{n % 7},5;{week[n // 24 % 7]}"
        for n in range(400)
    ]
    return written(folder, ["Zeitstempel;Verbrauch;Temperatur;Wochentag", *lines], "strom.csv")


def test_that_words_beside_numbers_are_left_out_of_a_series_and_told(tmp_path):
    chosen = Answers(source="series")
    found = propose_data(ProposeData(path=str(with_weekdays(tmp_path)), answers=chosen))
    source = found.spec.data.source
    assert (source.params["time"], source.params["targets"]) == ("Zeitstempel", "Temperatur")
    told = {problem.code: problem.params for problem in found.info.problems}
    assert told["D655"]["columns"] == "Wochentag"
    series = load_source(source)
    assert series.read([0])["series"][0, 1].tolist() == [1.25, 1.5]


def test_that_not_the_weekday_is_predicted_but_a_number(tmp_path):
    found = propose_data(ProposeData(path=str(with_weekdays(tmp_path))))
    assert (found.target, found.info.task) == ("Temperatur", "regression")
    assert "Wochentag" in found.columns
    told = {problem.code: problem.params for problem in found.info.problems}
    assert told["D654"]["words"] == "Wochentag"


def test_that_words_that_are_called_a_target_stay_it(tmp_path):
    path = with_weekdays(tmp_path)
    path.write_text(path.read_text("utf-8").replace("Wochentag", "label"), "utf-8")
    assert propose_data(ProposeData(path=str(path))).target == "label"


@pytest.mark.parametrize("zone", ["", "+02:00"])
@pytest.mark.parametrize("is_said", [False, True])
def test_that_a_series_may_begin_with_the_newest(tmp_path: Path, is_said: bool, zone: str):
    (head, *rest) = rows(lambda n: f"{START + timedelta(hours=n):%Y-%m-%dT%H:%M}{zone}")
    path = written(tmp_path, [head, *rest[::-1]])
    chosen = Answers(source="series") if is_said else Answers()
    source = propose_data(ProposeData(path=str(path), answers=chosen)).spec.data.source
    assert (source.type, source.params["time"]) == ("series", "time")
    assert load_source(source).read([0])["series"][0, :3, 0].tolist() == [0.5, 1.5, 2.5]


def test_that_rows_in_any_order_are_a_series_where_that_is_said(tmp_path: Path):
    (head, *rest) = rows(lambda n: f"{START + timedelta(days=n * n):%d %b %Y}")
    random.Random(0).shuffle(rest)
    path = written(tmp_path, [head, *rest])
    assert source_of(path).type == "table"
    proposal = propose_data(ProposeData(path=str(path), answers=Answers(source="series")))
    assert proposal.spec.data.source.params["time"] == "time"
    assert "D655" not in {problem.code for problem in proposal.info.problems}
    series = load_source(proposal.spec.data.source)
    assert series.read([0])["series"][0, :3, 0].tolist() == [0.5, 1.5, 2.5]


def test_that_the_hour_in_which_summer_time_ends_may_be_there_twice(tmp_path: Path):
    hours = [START + timedelta(hours=n - (n > 60)) for n in range(120)]
    path = written(tmp_path, rows(lambda n: f"{hours[n]:%Y-%m-%d %H:%M}"))
    assert source_of(path).type == "series"


def test_that_a_series_of_few_rows_is_read_in_short_pieces_or_is_told(tmp_path):
    file = tmp_path / "s.csv"
    file.write_text("\n".join(["a", *map(str, range(20))]))
    source = propose_data(ProposeData(path=str(file))).spec.data.source
    assert (source.type, source.params["length"]) == ("series", 5)
    file.write_text("a\n1\n2\n3\n")
    with pytest.raises(DiagnosticError) as error:
        propose_data(ProposeData(path=str(file)))
    assert error.value.problems[0].code == "D704"
