"""Parts that a run keeps, where the data has grown or shrunk since."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace as replace_field
from pathlib import Path

import msgspec
import numpy as np
import pytest
import torch
from msgspec.structs import replace
from PIL import Image

from engine.data.load.fit import DataFit, read_fit, write_fit
from engine.data.load.load import LoadedData, can_change, load_data, load_split
from engine.data.source.identity import value_identities, window_identities
from engine.data.split.kept import KeptParts
from engine.diagnostics import DiagnosticError, sentence
from engine.spec.run import Choice, DataSpec, SplitSpec

Rows = list[str]

HEAD = "a,patient,day,set,kind"
WORDS = ("train", "train", "train", "validation", "test")
SPLITS = {
    "random": SplitSpec(),
    "stratified": SplitSpec(kind="stratified"),
    "group": SplitSpec(kind="group", column="patient"),
    "column": SplitSpec(kind="column", column="set"),
    "time": SplitSpec(kind="time", column="day"),
    "sequential": SplitSpec(kind="sequential"),
    "equal": SplitSpec(group_equal=True),
    "folds": SplitSpec(folds=4, fold=1),
    "stratified folds": SplitSpec(kind="stratified", folds=3),
    "group folds": SplitSpec(kind="group", column="patient", folds=3, fold=2),
    "sequential folds": SplitSpec(kind="sequential", folds=3),
    "folds by class": SplitSpec(kind="column", column="set", stratified=True, folds=3),
}
CHANGES: dict[str, Callable[[Rows, Rows], Rows]] = {
    "at the end": lambda old, new: [*old, *new],
    "in the middle": lambda old, new: [*old[:31], *new, *old[31:]],
    "at the start": lambda old, new: [*new, *old],
    "lost": lambda old, _: [*old[:20], *old[37:]],
    "lost and grown": lambda old, new: [*old[9:70], *old[75:], *new],
    "sorted otherwise": lambda old, new: [*new, *reversed(old)],
}


def row(number: int) -> str:
    day = f"2024-{number % 12 + 1:02}-{number % 28 + 1:02}"
    kind = ("x", "y", "z")[number * 7 % 3]
    return f"{number}.5,p{number * 5 % 40},{day},{WORDS[number * 3 % 5]},{kind}"


OLD, NEW = [row(number) for number in range(120)], [row(number) for number in range(200, 233)]


def write(path: Path, rows: Rows) -> None:
    path.write_text("\n".join([HEAD, *rows]) + "\n", encoding="utf-8")


def table(path: Path, rows: Rows, split: SplitSpec) -> DataSpec:
    write(path, rows)
    params = {"path": str(path), "target": "kind", "ignored": "patient,day,set"}
    return DataSpec(source=Choice(type="table", params=params), split=split)


def parts_of(data: LoadedData) -> dict[str, str]:
    """Return the part of each sample by what stands in its first column."""
    return {
        data.source.text("a", index): part
        for part, indices in data.indices.items()
        for index in indices.tolist()
    }


def told(data: LoadedData) -> dict[str, dict[str, str | int | float]]:
    for problem in data.problems:
        assert "{" not in sentence(problem, "en") + sentence(problem, "zh_CN")
    return {problem.code: problem.params for problem in data.problems}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("split", SPLITS)
def test_that_samples_stay_in_their_part_and_only_new_ones_are_divided(tmp_path, split, change):
    spec = table(tmp_path / "t.csv", OLD, SPLITS[split])
    first = load_data(spec)
    before = parts_of(first)
    rows = CHANGES[change](OLD, NEW)
    write(tmp_path / "t.csv", rows)
    data = load_data(spec, known=first.fit)
    now = parts_of(data)
    assert len(now) == len(rows)
    assert {name: now[name] for name in before if name in now} == {
        name: part for name, part in before.items() if name in now
    }
    new = Counter(part for name, part in now.items() if name not in before)
    gone = len(before.keys() - now.keys())
    counts = {part: new[part] for part in ("train", "validation", "test")}
    expected = {"D558": {"count": new.total(), **counts}} if new else {}
    assert told(data) == expected | ({"D573": {"count": gone}} if gone else {})
    again = load_data(spec, known=data.fit)
    assert parts_of(again) == now
    assert not again.problems
    assert again.fit.parts == data.fit.parts


@pytest.mark.parametrize("split", ["random", "stratified", "column", "equal", "folds"])
def test_that_new_samples_are_divided_by_the_rule_of_all(tmp_path, split):
    spec = table(tmp_path / "t.csv", OLD, SPLITS[split])
    kept = load_data(spec).fit
    more = [row(number) for number in range(1000, 1400)]
    write(tmp_path / "t.csv", [*OLD, *more])
    counts = told(load_data(spec, known=kept))["D558"]
    write(tmp_path / "t.csv", more)
    alone = load_data(spec)
    for part in alone.indices:
        assert abs(alone.samples(part) - float(counts[part])) <= 3, part


@pytest.mark.parametrize("split", ["group", "group folds"])
def test_that_new_samples_of_a_known_group_go_where_it_is(tmp_path, split):
    spec = table(tmp_path / "t.csv", OLD, SPLITS[split])
    kept = load_data(spec).fit
    others = [each.replace(",p", ",q") for each in NEW]
    write(tmp_path / "t.csv", [*OLD, *NEW, *others])
    data = load_data(spec, known=kept)
    where: dict[str, set[str]] = {}
    for part, indices in data.indices.items():
        for index in indices.tolist():
            where.setdefault(data.source.text("patient", index), set()).add(part)
    assert all(len(parts) == 1 for parts in where.values())
    assert len({part for name in where if name[0] == "q" for part in where[name]}) == 3


def test_that_the_bounds_in_time_stay_where_they_were(tmp_path):
    days = [f"2024-{at // 28 + 1:02}-{at % 28 + 1:02}" for at in range(140)]
    rows = [f"{at}.5,p,{days[at]},train,{'xy'[at // 2 % 2]}" for at in range(0, 140, 2)]
    spec = table(tmp_path / "t.csv", rows[:60], SPLITS["time"])
    kept = load_data(spec).fit
    between = [f"{at}.5,p,{days[at]},train,{'xy'[at // 2 % 2]}" for at in range(1, 119, 2)]
    write(tmp_path / "t.csv", [*between, *rows])
    data = load_data(spec, known=kept)
    dates = [
        sorted(data.source.text("day", index) for index in data.indices[part].tolist())
        for part in ("train", "validation", "test")
    ]
    assert dates[0][-1] < dates[1][0]
    assert dates[1][-1] < dates[2][0]
    assert dates[2][-1] == days[138]


def test_that_a_cell_that_was_corrected_leaves_its_row_where_it_was(tmp_path):
    spec = table(tmp_path / "t.csv", OLD, SplitSpec())
    first = load_data(spec)
    part = parts_of(first)
    changed = [each if at % 9 else each.replace(".5,", ".75,", 1) for at, each in enumerate(OLD)]
    write(tmp_path / "t.csv", [*changed, *NEW])
    now = parts_of(load_data(spec, known=first.fit))
    for name, before in part.items():
        assert now.get(name, now.get(name.replace(".5", ".75"))) == before


def values_of(data: LoadedData) -> dict[str, list[float]]:
    """Return what the model reads of each sample."""
    return {
        data.source.text("a", index): row.tolist()
        for part, indices in data.indices.items()
        for index, row in zip(indices.tolist(), data.tensors(part)["features"], strict=True)
    }


@pytest.mark.parametrize(("missing", "normalization"), [("mean", "none"), ("drop", "standard")])
def test_that_new_samples_do_not_change_what_the_model_reads_of_the_others(
    tmp_path, missing, normalization
):
    path = tmp_path / "t.csv"
    old = [each if at % 11 else f"{each.partition(',')[2]}" for at, each in enumerate(OLD)]
    old = [each if at % 11 else f",{each}" for at, each in enumerate(old)]  # without a number
    spec = table(path, old, SplitSpec())
    source = replace(spec.source, params=spec.source.params | {"missing": missing})
    spec = replace(spec, source=source, normalization=normalization)
    first = load_data(spec)
    before = values_of(first)
    far = [each.replace(".5,", "00000.5,", 1) for each in NEW]
    write(path, [*far, *old])
    second = load_data(spec, known=first.fit)
    now = values_of(second)
    assert len(now) > len(before)
    assert {name: now[name] for name in before} == before
    assert values_of(load_data(spec, known=second.fit)) == now


def test_that_a_sample_that_comes_back_is_where_it_was(tmp_path):
    spec = table(tmp_path / "t.csv", OLD, SplitSpec())
    first = load_data(spec)
    write(tmp_path / "t.csv", [*OLD[50:], *NEW])
    second = load_data(spec, known=first.fit)
    write(tmp_path / "t.csv", [*NEW, *OLD])
    third = load_data(spec, known=second.fit)
    both = parts_of(first) | parts_of(second)
    assert parts_of(third) == both
    assert not third.problems


@pytest.mark.parametrize("samples", [90, 150])
def test_that_other_data_is_refused_where_nothing_tells_what_is_new(tmp_path, samples):
    spec = table(tmp_path / "t.csv", OLD, SplitSpec())
    kept = load_data(spec).fit
    write(tmp_path / "t.csv", [row(5000 + number) for number in range(samples)])
    with pytest.raises(DiagnosticError) as raised:
        load_data(spec, known=kept)
    (problem,) = raised.value.problems
    assert (problem.code, problem.params["before"], problem.params["now"]) == ("D559", 120, samples)
    for language in ("en", "zh_CN"):
        assert "{" not in sentence(problem, language)


def test_that_samples_known_by_their_place_alone_may_not_come_or_go(tmp_path):
    kept = load_data(table(tmp_path / "t.csv", OLD, SplitSpec())).fit
    assert kept.parts is not None
    without = replace_field(kept, parts=replace(kept.parts, identities=b""))
    spec = table(tmp_path / "t.csv", [*OLD[1:], NEW[0]], SplitSpec())
    assert load_data(spec, known=without).indices["test"].equal(load_data(spec).indices["test"])
    write(tmp_path / "t.csv", [*OLD, NEW[0]])
    with pytest.raises(DiagnosticError) as raised:
        load_data(spec, known=without)
    assert raised.value.problems[0].code == "D559"


def test_that_a_folder_that_grows_keeps_its_pictures_apart(tmp_path):
    def draw(names: list[str]) -> None:
        for name in names:
            for kind, shade in (("dark", 20), ("light", 220)):
                file = tmp_path / "set" / kind / f"{name}.png"
                file.parent.mkdir(parents=True, exist_ok=True)
                Image.fromarray(np.full((4, 4, 3), shade, np.uint8)).save(file)

    draw([f"m{number}" for number in range(20)])
    params = {"path": str(tmp_path / "set"), "size": 4}
    spec = DataSpec(source=Choice(type="image_folder", params=params), split=SplitSpec())
    first = load_data(spec)

    def named(data: LoadedData) -> dict[str, str]:
        return {
            name: part
            for part, indices in data.indices.items()
            for name in data.source.sample_names(indices.tolist())
        }

    before = named(first)
    draw([f"a{number}" for number in range(7)])  # before and after the others in their folder
    (tmp_path / "set" / "dark" / "m3.png").unlink()
    data = load_data(spec, known=first.fit)
    now = named(data)
    left = {name: part for name, part in before.items() if name in now}
    assert len(left) == 39
    assert {name: now[name] for name in left} == left
    assert told(data)["D558"]["count"] == 14
    assert told(data)["D573"] == {"count": 1}


def test_that_a_text_and_a_series_that_grow_keep_their_windows_apart(tmp_path):
    file = tmp_path / "t.txt"
    text = "".join(chr(97 + number * number % 23) + "z" * (number % 5) for number in range(400))
    file.write_text(text, encoding="utf-8")
    params = {"path": str(file), "read_as": "windows", "length": 8, "stride": 9}
    numbers = tmp_path / "s.csv"
    lines = [f"{number * number % 17}.5,{number % 5}" for number in range(300)]
    numbers.write_text("\n".join(["a,b", *lines[:200]]) + "\n", encoding="utf-8")
    series = {"path": str(numbers), "length": 6, "horizon": 1}
    for spec, path, more in (
        (DataSpec(source=Choice(type="text", params=params)), file, text[::-1]),
        (DataSpec(source=Choice(type="series", params=series)), numbers, "\n".join(lines[200:])),
    ):
        first = load_data(spec)
        with path.open("a", encoding="utf-8") as stream:
            stream.write(more)
        source, parts = load_split(spec, known=first.fit)
        samples = first.source.samples
        assert source.samples > samples
        for part, indices in first.indices.items():
            now = parts[part]
            assert now[now < samples].equal(indices)


def test_that_parts_are_kept_in_a_file_that_anybody_may_have_made(tmp_path):
    spec = table(tmp_path / "t.csv", OLD, SplitSpec(kind="stratified"))
    fit = load_data(spec).fit
    assert fit.parts is not None
    write_fit(tmp_path, fit, DataFit())
    file = tmp_path / "parts.msgpack"
    assert read_fit(tmp_path).parts == fit.parts
    whole = file.read_bytes()
    wrong = replace(fit.parts, parts=b"\x07" * len(fit.parts.parts))
    short, gone = replace(fit.parts, identities=b"1"), replace(fit.parts, gone=1000)
    for content in (
        b"",
        whole[:50],
        b"\xc1" + whole,
        *map(msgspec.msgpack.encode, (wrong, short, gone)),
    ):
        file.write_bytes(content)
        assert read_fit(tmp_path).parts is None


def test_that_parts_divided_by_other_settings_say_nothing(tmp_path):
    spec = table(tmp_path / "t.csv", OLD, SplitSpec())
    other = KeptParts(split=SplitSpec(seed=9), parts=bytes(120))
    data = load_data(spec, known=DataFit(parts=other))
    assert parts_of(data) == parts_of(load_data(spec))


def test_that_computed_data_keeps_no_parts():
    assert not can_change(Choice(type="moons"))
    assert load_data(DataSpec(source=Choice(type="moons"))).fit.parts is None


def test_that_windows_are_recognised_by_their_rows():
    values = torch.arange(60, dtype=torch.float32).reshape(20, 3).numpy() % 7
    rows = value_identities(values)
    starts = np.arange(16)
    found = window_identities(rows, starts, 4)
    for one in starts:
        for other in starts:
            same = bool((values[one : one + 4] == values[other : other + 4]).all())
            assert same == (found[one] == found[other])
