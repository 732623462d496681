"""Columns that are useless, tell too much, have gaps or odd numbers; groups and classes."""

import numpy as np
import pytest

from engine.spec.fields import set_value
from engine.spec.run import Choice, DataSpec, RunSpec, SplitSpec
from tests.engine.data.health.planted import clean_rows, codes, examined, of_table, the


def repaired(data: DataSpec, found) -> DataSpec:
    spec = RunSpec(data=data)
    for name, value in found.repairs[0].settings.items():
        spec = set_value(spec, name, value)
    return spec.data


@pytest.mark.row("N31")
@pytest.mark.parametrize("source", ["digits", "wine", "breast_cancer", "diabetes", "moons"])
def test_that_clean_data_gives_no_finding(source):
    assert codes(examined(DataSpec(source=Choice(type=source)))) == []


def test_that_a_clean_table_gives_no_finding(tmp_path):
    report = examined(of_table(tmp_path / "t.csv", clean_rows()))
    assert codes(report) == []
    checks = {result.check for result in report.checks}
    assert {"constant", "naming", "missing", "outliers", "give_away", "balance"} <= checks


def _planted(rows, code):
    chance = np.random.default_rng(1)
    count = len(rows["y"])
    if code == "D208":
        rows["odd"] = [7] * count
    elif code == "D209":
        rows["odd"] = chance.permutation(count).tolist()
    elif code == "D207":
        rows["odd"] = [(9.5 if y == "yes" else 1.5) + chance.random() for y in rows["y"]]
    elif code == "D216":
        rows["odd"] = chance.normal(size=count).round(3).tolist()
        rows["odd"][11] = -9999
    else:
        rows["odd"] = ["" if at % 3 else chance.normal() for at in range(count)]
    rows["y"] = rows.pop("y")
    return rows


@pytest.mark.row("N31")
@pytest.mark.parametrize("code", ["D207", "D208", "D209", "D215", "D216"])
def test_that_each_fault_of_a_column_is_found_and_leaving_it_out_heals_it(tmp_path, code):
    data = of_table(tmp_path / "t.csv", _planted(clean_rows(), code), inputs="a,b,c,odd")
    report = examined(data)
    assert codes(report) == [code]
    found = the(report, code)
    assert "odd" in str(found.problem.params)
    if code == "D216":
        assert [sample.index for sample in found.samples] == [11]
        return  # the number is wrong, not the column
    assert codes(examined(repaired(data, found))) == []


def test_that_a_column_with_commas_in_its_name_is_left_out(tmp_path):
    rows = clean_rows()
    chance = np.random.default_rng(3)
    size = [(9.5 if y == "yes" else 1.5) + chance.random() for y in rows["y"]]
    rows = {'"size, in ""mm"""': size, **rows}
    data = of_table(tmp_path / "t.csv", rows, ignored="b")
    found = the(examined(data), "D207")
    after = repaired(data, found)
    assert codes(examined(after)) == []
    assert str(after.source.params["ignored"]).startswith("b, ")


def test_that_a_number_which_is_the_target_in_other_units_is_found(tmp_path):
    chance = np.random.default_rng(2)
    y = chance.normal(size=300)
    rows = {"a": chance.normal(size=300), "inches": y / 2.54, "y": y}
    data = of_table(tmp_path / "t.csv", {name: list(each) for name, each in rows.items()})
    report = examined(data)
    assert codes(report) == ["D207"]
    assert the(report, "D207").problem.params["column"] == "inches"


@pytest.mark.row("N31")
@pytest.mark.parametrize("known", [True, False])
def test_that_groups_on_both_sides_are_found_and_dividing_by_them_heals_it(tmp_path, known):
    rows = clean_rows()
    rows = {"patient_id": [f"p{at // 8}" for at in range(200)], **rows}
    data = of_table(tmp_path / "t.csv", rows, **({"group": "patient_id"} if known else {}))
    report = examined(data)
    found = the(report, "D205")
    assert found.problem.severity == ("warning" if known else "hint")
    parts = {sample.part for sample in found.samples if sample.group == 0}
    assert "train" in parts
    assert parts != {"train"}
    assert "D205" not in codes(examined(repaired(data, found)))


def test_that_columns_of_other_names_are_no_groups(tmp_path):
    rows = {"shade": [f"p{at // 8}" for at in range(200)], **clean_rows()}
    assert "D205" not in codes(examined(of_table(tmp_path / "t.csv", rows)))


@pytest.mark.row("N31")
def test_that_imbalance_is_found_and_the_balanced_sampler_heals_it(tmp_path):
    rows = clean_rows()
    rows["y"] = ["yes" if at % 20 == 0 else "no" for at in range(200)]
    data = of_table(tmp_path / "t.csv", rows)
    found = the(examined(data), "D217")
    assert (found.problem.params["large"], found.problem.params["small"]) == ("no", "yes")
    assert "D217" not in codes(examined(data, is_weighted=True))
    assert "D217" not in codes(examined(repaired(data, found)))


def test_that_classes_of_very_few_samples_are_named(tmp_path):
    rows = clean_rows()
    rows["y"][:4] = ["maybe"] * 4
    found = the(examined(of_table(tmp_path / "t.csv", rows)), "D218")
    assert "maybe" in str(found.problem.params["names"])
    assert {sample.label for sample in found.samples} <= {"maybe"}


def test_that_texts_without_a_letter_are_found(tmp_path):
    lines = [f"{('good', 'bad')[at % 2]}\tthis is text number {at}" for at in range(40)]
    lines[7] = "bad\t   "
    path = tmp_path / "reviews.txt"
    path.write_text("\n".join(lines), encoding="utf-8")
    params = {"path": str(path), "task": "classification", "tokens": "words"}
    data = DataSpec(source=Choice(type="text", params=params))
    report = examined(data)
    assert "D219" in codes(report) or report.samples == 39  # the reader may leave it out


def test_that_a_split_that_is_wrong_leaves_the_other_checks(tmp_path):
    rows = _planted(clean_rows(), "D208")
    data = of_table(tmp_path / "t.csv", rows, inputs="a,b,c,odd")
    data = DataSpec(source=data.source, split=SplitSpec(kind="group", column="nothing"))
    assert codes(examined(data)) == ["D208"]


def test_that_numbers_of_any_size_break_no_check(tmp_path):
    rows = clean_rows()
    rows["a"] = ["inf", "-inf", "nan", "1e200", "-1e200"] * 40
    rows["b"] = [0] * 199 + [1]
    assert {"D215"} <= set(codes(examined(of_table(tmp_path / "t.csv", rows))))
    for count in (2, 3, 5):
        few = {name: values[:count] for name, values in clean_rows().items()}
        few["y"] = ["no", "yes", "no", "yes", "no"][:count]
        assert codes(examined(of_table(tmp_path / f"{count}.csv", few)))
