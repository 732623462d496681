"""Real data that ships with the program: what stands in its files is what is read."""

import csv
from collections import Counter
from pathlib import Path

import pytest
import torch

from engine.data.load.load import load_data
from engine.data.source.penguins import load_penguins
from engine.data.source.registry import load_source
from engine.diagnostics import DiagnosticError
from engine.spec.run import Choice, DataSpec

TABLES = Path(__file__).parents[4] / "resources" / "tables"


def rows(name: str) -> list[dict[str, str]]:
    with (TABLES / name).open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def test_that_penguins_are_read_with_their_categories_and_without_those_of_unknown_mass():
    known = [row for row in rows("penguins.csv") if row["body_mass_g"] != "NA"]
    source = load_source(Choice(type="penguins"))
    assert source.samples == len(known) == 342
    values = source.read(range(source.samples))
    categories = next(info for info in source.infos if info.name == "categories")
    for at, row in enumerate(known):
        assert values["target"][at].item() == float(row["body_mass_g"])
        assert values["features"][at, 1].item() == pytest.approx(float(row["bill_depth_mm"]))
        told = [
            names[number]
            for names, number in zip(
                categories.vocabularies, values["categories"][at].tolist(), strict=True
            )
        ]
        sex = row["sex"] if row["sex"] != "NA" else "(missing)"
        assert told == [row["species"], row["island"], sex]


@pytest.mark.parametrize(("target", "task"), [("species", "classification"), ("sex", "binary")])
def test_that_species_and_sex_of_penguins_are_classes_and_then_no_inputs(target, task):
    known = [row for row in rows("penguins.csv") if row[target] != "NA"]
    source = load_penguins({"target": target, "categories": "one_hot"})
    assert source.task == task
    label = next(info for info in source.infos if info.name == "label")
    codes = source.read(range(source.samples))["label"].tolist()
    assert [label.classes[code] for code in codes] == [row[target] for row in known]
    features = next(info for info in source.infos if info.name == "features")
    assert not [name for name in features.columns if name.startswith(target)]
    assert "body_mass_g" in features.columns


def test_that_gaps_of_penguins_are_filled_from_the_training_part_alone():
    data = load_data(DataSpec(source=Choice(type="penguins", params={"target": "species"})))
    assert all(bool(data.tensors(part)["features"].isfinite().all()) for part in ("train", "test"))


def test_that_weather_is_windows_of_days_with_the_days_that_follow():
    days = rows("seattle-weather.csv")
    params = {"length": 5, "horizon": 2, "target": "temp_min"}
    source = load_source(Choice(type="weather", params=params))
    assert source.samples == len(days) - 6
    values = source.read([0, 1000])
    for at, start in enumerate((0, 1000)):
        read = [
            [float(day[name]) for name in ("precipitation", "temp_max", "temp_min", "wind")]
            for day in days[start : start + 5]
        ]
        assert torch.allclose(values["series"][at], torch.tensor(read))
        after = [float(day["temp_min"]) for day in days[start + 5 : start + 7]]
        assert torch.allclose(values["target"][at], torch.tensor(after))
    named, times = source.predicted_times([0, 1000])
    assert named == "time"
    assert times == [days[start + 5]["date"].replace("/", "-") for start in (0, 1000)]


def test_that_all_columns_of_weather_can_be_predicted():
    source = load_source(Choice(type="weather", params={"horizon": 2, "target": "all"}))
    assert source.value_names("target")[:4] == (
        "precipitation+1",
        "temp_max+1",
        "temp_min+1",
        "wind+1",
    )
    assert source.read([3])["target"].shape == (1, 2, 4)


def test_that_windows_longer_than_the_weather_are_told():
    with pytest.raises(DiagnosticError) as caught:
        load_source(Choice(type="weather", params={"length": 1000, "horizon": 462}))
    assert caught.value.problems[0].code == "D128"


def test_that_given_names_are_windows_of_characters_with_those_that_follow():
    text = (TABLES.parent / "texts" / "names.txt").read_text(encoding="utf-8")
    names = text.splitlines()
    assert len(names) == len(set(names)) == 5163
    assert all(name.isalpha() and name == name.title() for name in names)
    source = load_source(Choice(type="names", params={"length": 20}))
    assert source.samples == (len(text) - 1) // 20
    assert source.text("text", 3) == text[60:80]
    assert source.text("target", 3) == text[61:81]


def test_that_windows_longer_than_the_names_are_told():
    with pytest.raises(DiagnosticError) as caught:
        load_source(Choice(type="names", params={"length": 50_000}))
    assert caught.value.problems[0].code == "D137"


def test_that_names_can_have_the_characters_of_the_plays():
    folder = TABLES.parent / "texts"
    text = (folder / "names.txt").read_text(encoding="utf-8")
    plays = (folder / "shakespeare.txt").read_text(encoding="utf-8")
    params = {"length": 20, "vocabulary": "plays"}
    source = load_source(Choice(type="names", params=params))
    assert source.samples == (len(text) - 1) // 20
    assert source.text("text", 3) == text[60:80]
    assert source.text("target", 3) == text[61:81]
    info = source.infos[0]
    counts = Counter(plays)
    assert list(info.words[2:]) == sorted(counts, key=lambda each: (-counts[each], each))
    numbers = source.read([3])["text"][0].tolist()
    assert "".join(info.words[number] for number in numbers) == text[60:80]
    assert source.fitted(torch.arange(5)).infos == source.infos, "whatever is trained on"
    with pytest.raises(DiagnosticError) as caught:
        load_source(Choice(type="names", params=params | {"length": 50_000}))
    assert caught.value.problems[0].code == "D137"
