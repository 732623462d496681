"""Tables as a source: fields, gaps, vocabularies, roles, and a run that learns from one."""

import dataclasses
import pickle
import random
import warnings
from datetime import date
from pathlib import Path

import numpy as np
import pytest
import torch

from engine.data.load.load import LoadedData, load_data
from engine.data.preview import describe, preview_at
from engine.data.read.row import NumberCell, WrongCellError, read_number
from engine.data.source.registry import load_source
from engine.data.source.table import TableSource
from engine.data.split.split import equal_groups
from engine.diagnostics import DiagnosticError, Severity, sentence
from engine.runs.record.state import RunStatus
from engine.spec.run import Choice, DataSpec, LossTerm, SplitSpec
from tests.tiny_run import chain, make_run, node, train


def write(folder: Path, text: str, name: str = "表 格.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def spec(path: Path, split: SplitSpec | None = None, **params: object) -> DataSpec:
    choice = Choice(type="table", params={"path": str(path), **params})
    return DataSpec(source=choice, split=split or SplitSpec())


def load(path: Path, split: SplitSpec | None = None, **params: object) -> LoadedData:
    return load_data(spec(path, split, **params))


def source_of(path: Path, **params: object) -> TableSource:
    source = load_source(spec(path, **params).source)
    assert isinstance(source, TableSource)
    return source


def code_of(path: Path | str, **params: object) -> str:
    with pytest.raises(DiagnosticError) as caught:
        load(Path(path) if path else path, **params)
    problem = caught.value.problems[0]
    assert problem.field is None or problem.field.startswith("data.source.")
    for language in ("en", "zh_CN"):
        assert "{" not in sentence(problem, language)
    return problem.code


@pytest.fixture
def people(tmp_path: Path) -> Path:
    draw = random.Random(5)
    lines = ["id,age,town,member,joined,class"]
    for number in range(1, 101):
        age = "" if number % 10 == 0 else str(20 + number % 40)
        town = "" if number % 25 == 0 else draw.choice(["Ulm", "Bonn", "Köln"])
        day = f"2024-03-{number % 28 + 1:02}"
        lines.append(f"{number},{age},{town},{draw.choice(['yes', 'no'])},{day},{number % 3}")
    return write(tmp_path, "\n".join(lines))


@pytest.mark.row("P13")
def test_that_numbers_are_features_and_categories_have_numbers_of_their_own(people):
    data = load(people)
    features, categories, label = data.source.infos
    assert features.columns == ("age", "member", "joined")
    assert (features.dtype, features.shape) == ("float32", (3,))
    assert categories.columns == ("town",)
    assert (categories.dtype, categories.shape, categories.lowest) == ("int64", (1,), 0)
    assert categories.vocabularies == (("<unk>", "Bonn", "Köln", "Ulm", "(missing)"),)
    assert label.classes == ("0", "1", "2")
    assert data.info.task == "classification"
    raw = data.raw([0, 1])
    assert raw["features"][0, 0] == 21
    assert raw["label"].tolist() == [1, 2]
    assert set(data.raw(range(100))["features"][:, 1].tolist()) == {0.0, 1.0}
    days = raw["features"][:, 2]
    assert (days[1] - days[0]).item() == 1
    assert days[0].item() == (date(2024, 3, 2) - date(1970, 1, 1)).days


@pytest.mark.fault("B10")
@pytest.mark.parametrize("missing", ["mean", "median"])
def test_that_gaps_are_filled_from_the_training_part_alone(people, missing):
    data = load(people, missing=missing)
    source = data.source
    ages = source_of(people).columns[0].values
    train = ages[data.indices["train"]]
    known = train[~train.isnan()]
    fill = known.mean() if missing == "mean" else torch.quantile(known, 0.5)
    gaps = ages.isnan()
    assert int(gaps.sum()) == 10
    filled = source.column("features")[gaps, 0]
    assert torch.allclose(filled, fill.float().expand(10))
    other = load(people, SplitSpec(seed=3), missing=missing).source.column("features")[gaps, 0]
    assert not torch.equal(filled, other) or missing == "median"
    assert not source.column("features").isnan().any()


def test_that_rows_of_a_table_that_is_mapped_are_found_without_a_word_of_libraries(people):
    source = source_of(people, target="class")
    lines = np.array(source.table.lines, dtype=np.int64)
    expected = source.find_samples(source.sample_names(range(source.samples)))
    lines.setflags(write=False)  # as those of a file that is only read
    mapped = dataclasses.replace(source, table=dataclasses.replace(source.table, lines=lines))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert mapped.find_samples(tuple(expected)) == expected
    assert len(expected) == source.samples


def test_that_rows_with_gaps_can_be_dropped_and_it_is_told(people):
    source = source_of(people, missing="drop")
    assert source.samples == 100 - 10 - 2  # two of the towns are missing where the age is too
    found = {problem.code: problem for problem in source.check({})}
    assert found["D045"].params["count"] == 12
    assert found["D045"].severity == Severity.WARNING
    assert source.infos[1].vocabularies == (("<unk>", "Bonn", "Köln", "Ulm"),)


def test_that_a_row_without_a_target_is_never_learned_from(tmp_path):
    path = write(
        tmp_path, "x,y\n" + "".join(f"{i},{'' if i % 4 == 0 else i / 3}\n" for i in range(40))
    )
    source = source_of(path)
    assert source.samples == 30
    assert torch.equal(source.column("x"), torch.tensor([i for i in range(40) if i % 4]).double())
    assert source.table.lines[source.rows[0]] == 3


@pytest.mark.row("P19")
def test_that_a_category_that_was_not_trained_on_is_unknown(tmp_path):
    rows = [f"{'rare' if i == 7 else 'ab'[i % 2]},{i / 7},{i % 2}" for i in range(40)]
    path = write(tmp_path, "kind,x,label\n" + "\n".join(rows))
    source = source_of(path)
    without = torch.tensor([i for i in range(40) if i != 7])
    fitted = source.fitted(without)
    assert fitted.infos[1].vocabularies == (("<unk>", "a", "b"),)
    assert fitted.column("categories")[7].tolist() == [0]
    assert source.fitted(torch.arange(40)).infos[1].vocabularies == (("<unk>", "a", "b", "rare"),)
    assert fitted.infos[1].highest == source.infos[1].highest  # so that one model fits every split
    hot = source_of(path, categories="one_hot").fitted(without)
    assert hot.infos[0].columns == ("x", "kind=a", "kind=b", "kind=rare")
    assert hot.column("features")[7, 1:].tolist() == [0, 0, 0]
    assert hot.column("features")[:, 1:].sum() == 39


def test_that_describing_and_loading_agree_and_the_split_decides(people):
    assert describe(spec(people)) == load(people).info
    wrong = describe(spec(people, SplitSpec(train=2.0)))
    assert wrong.splits == ()
    assert wrong.samples == 100
    view = preview_at(spec(people), [0])
    assert view.samples[0].texts["categories"].startswith("town=")


def test_that_numbers_are_predicted_one_or_several(people):
    data = load(people, target="age")
    assert data.info.task == "regression"
    assert data.info.field("target").shape == (1,)
    assert data.info.samples == 90
    several = load(people, target="age, joined", kinds="class=category")
    assert several.info.field("target").columns == ("age", "joined")
    assert several.info.field("target").shape == (2,)
    assert several.info.field("categories").columns == ("town", "class")


def test_that_two_classes_come_with_a_decimal_target_for_binary_losses(people):
    source = source_of(people, target="member")
    assert source.task == "binary"
    assert source.infos[-2].classes == ("no", "yes")
    label, target = source.column("label"), source.column("target")
    assert torch.equal(label.float(), target[:, 0])
    told = [source.text("member", index) for index in range(5)]
    assert [("no", "yes")[int(one)] for one in label[:5]] == told


def test_that_roles_and_kinds_are_the_users(people):
    source = source_of(people, inputs="Age, town", kinds="town=category, age=category")
    assert source.infos[0].columns == ("age", "town")
    source = source_of(people, ignored="town, joined", group="id")
    assert source.infos[0].columns == ("age", "member")
    assert source.column("id").dtype == torch.int64
    assert len(torch.unique(source.column("id"))) == 100
    assert source_of(people, kinds="class=number").task == "regression"
    assert source_of(people, kinds="town=ignored").infos[1].name == "label"


def test_that_every_column_of_the_table_can_be_asked_for(people):
    source = source_of(people)
    for name in source.table.names:
        values = source.column(name)
        assert len(values) == source.samples
        assert values.dtype in (torch.int64, torch.float64)
    assert source.column("nothing") is None
    towns = source.column("town")
    words = [source.text("town", index) for index in range(100)]
    pairs = set(zip(towns.tolist(), words, strict=True))
    assert len(pairs) == len(set(words)) == 4
    assert (-1, "") in pairs
    ages = source.column("age")
    assert int(ages.isnan().sum()) == 10


def test_that_a_name_with_commas_and_equals_signs_is_read_in_quotes(tmp_path):
    rows = "\n".join(f"{i},{i % 3},{i / 7}" for i in range(30))
    path = write(tmp_path, f'"a, b","c=d",y\n{rows}')
    assert source_of(path, target="a, b").infos[-1].columns == ("a, b",)
    source = source_of(path, target='"a, b", y', kinds='"c=d=category"')
    assert source.infos[0].columns == ("c=d",)
    assert source.infos[-1].columns == ("a, b", "y")


def test_that_equal_rows_have_equal_keys_before_and_after_the_fit(tmp_path):
    rows = [f"{i % 5},{'uvw'[i % 5 % 3]},{i % 5 % 2}" for i in range(20)]
    path = write(tmp_path, "x,kind,label\n" + "\n".join(rows))
    source = source_of(path)
    assert equal_groups(source).tolist() == [i % 5 for i in range(20)]
    fitted = source.fitted(torch.tensor([0, 5]))  # to which most kinds are unknown
    assert equal_groups(fitted).tolist() == [i % 5 for i in range(20)]


@pytest.mark.fault("F22")
def test_that_a_file_that_changed_is_read_again(tmp_path):
    path = write(tmp_path, "x,y\n" + "1,2\n3,5\n" * 10)
    first = load_source(spec(path).source)
    assert load_source(spec(path).source) is first
    write(tmp_path, "x,y\n" + "1,2\n3,5\n" * 11)
    assert load_source(spec(path).source).samples == 22
    write(tmp_path, "x,z\n" + "1,2\n3,5\n" * 11)
    assert code_of(path, target="y") == "D026"
    path.unlink()
    assert code_of(path) == "D020"


@pytest.mark.fault("B10", "B11")
def test_that_what_is_wrong_with_a_table_names_row_and_column(tmp_path):
    rows = [f"{i},{i / 3}" for i in range(40)]
    rows[30] = "31,abc"
    path = write(tmp_path, "x,y\n" + "\n".join(rows))
    with pytest.raises(DiagnosticError) as caught:
        load(path)
    problem = caught.value.problems[0]
    assert problem.code == "D028"
    assert problem.params == {
        "row": 32,
        "column": "y",
        "value": "abc",
        "kind": "number",
        "count": 1,
    }
    rows[30] = "31,inf"
    write(tmp_path, "x,y\n" + "\n".join(rows))
    with pytest.raises(DiagnosticError) as caught:
        load(path)
    assert caught.value.problems[0].code == "D010"
    assert caught.value.problems[0].params["row"] == 32


@pytest.mark.fault("B10")
@pytest.mark.parametrize(
    ("text", "params", "code"),
    [
        ("a\n1\n2\n", {}, "D025"),
        ("x,name\n1,Ann Lee\n2,Bo Chi\n", {"target": "gone"}, "D026"),
        ("x,y\n1,2\n2,3\n", {"inputs": "gone"}, "D026"),
        ("x,y\n1,2\n2,3\n", {"ignored": "x"}, "D043"),
        ("x,y\n1,2\n2,3\n", {"kinds": "x:number"}, "D046"),
        ("x,y\n1,2\n2,3\n", {"kinds": "x=picture"}, "D046"),
        ("x,y\n1,2\n2,3\n", {"target": "y", "inputs": "x,y"}, "D047"),
        ("x,y\n1,2\n2,3\n", {"target": "y", "group": "y"}, "D047"),
        ("x,y,e\n1,2,\n2,3,\n", {"inputs": "e"}, "D049"),
        ("x,y,k\n1,2,a\n2,3,b\n3,4,c\n", {"target": "y,k"}, "D049"),
        ("x,y,z\n,2,3\n2,,4\n3,4,\n", {"missing": "drop"}, "D044"),
        ("x,y\n" + "1,a\n2,a\n" * 9, {"kinds": "y=category", "target": "y"}, "D014"),
        ("x,y\n1,7\n2,7\n3,7\n", {"target": "y"}, "D040"),
        ("x,y\n1,u\n2,v\n3,w\n", {"kinds": "y=binary", "target": "y"}, "D028"),
        ("x,y\n1,2\n2,3\n", {"sheet": "", "encoding": "nonsense"}, "D037"),
    ],
)
def test_that_a_choice_that_cannot_be_learned_from_is_told(tmp_path, text, params, code):
    assert code_of(write(tmp_path, text), **params) == code


def told(path, **params):
    """Return what is told of a table that can be trained on, by code."""
    return {problem.code: problem for problem in load(path, **params).info.problems}


@pytest.mark.fault("B10")
def test_that_columns_that_say_nothing_are_told_and_left_out(tmp_path):
    rows = "".join(f"{at},cm,,{at % 7},{at % 3}\n" for at in range(40))
    path = write(tmp_path, f"a,unit,note,b,c\n{rows}")
    found = told(path)["D581"]
    assert found.severity is Severity.HINT
    assert found.params == {"count": 2, "columns": "unit, note"}
    source = source_of(path)
    assert not {"unit", "note"} & {column.name for column in source.columns}
    assert "D581" not in told(path, ignored="unit,note")
    assert told(path, ignored="note")["D581"].params == {"count": 1, "columns": "unit"}
    assert "D581" not in told(write(tmp_path, "a,b\n1,2\n2,4\n3,3\n", "all.csv"))


@pytest.mark.fault("B10")
def test_that_a_label_that_is_always_the_same_is_told_where_another_is_predicted(tmp_path):
    rows = "".join(f"{at % 11},same,{at % 7}\n" for at in range(40))
    path = write(tmp_path, f"a,label,b\n{rows}")
    found = told(path)
    assert found["D582"].severity is Severity.WARNING
    assert found["D582"].params == {"column": "label", "target": "b"}
    assert "D581" not in found  # once is enough
    asked = told(path, target="a")
    assert "D582" not in asked
    assert asked["D581"].params["columns"] == "label"
    both = write(tmp_path, "label,x,class\n" + "".join(f"s,{n % 11},{n % 2}\n" for n in range(40)))
    assert "D582" not in told(both)
    assert code_of(write(tmp_path, "a,label\n1,s\n2,s\n3,s\n", "only.csv")) == "D040"


def test_that_a_finding_about_labels_names_their_column(tmp_path):
    alike = write(tmp_path, "x,kind\n" + "1,a\n2,a\n" * 9)
    with pytest.raises(DiagnosticError) as refused:
        load(alike, kinds="kind=category", target="kind")
    (problem,) = [each for each in refused.value.problems if each.code == "D014"]
    assert "kind" in sentence(problem, "en")
    assert "label" not in sentence(problem, "en").replace("the same label", "")
    rows = "".join(f"{at},{'abc'[min(at // 12, 2)]}\n" for at in range(30))
    later = write(tmp_path, f"x,kind\n{rows}", "later.csv")
    found = {each.code: each for each in load(later, SplitSpec(kind="sequential")).info.problems}
    assert found["D015"].params == {"field": "kind", "count": 1, "classes": "c"}
    assert "D574" not in found


def test_that_a_class_with_fewer_rows_than_sets_is_told(tmp_path):
    rows = "".join(f"{at},{'ab'[at % 2]}\n" for at in range(40))
    path = write(tmp_path, f"x,kind\n0.5,rare\n{rows}")
    found = {each.code: each for each in load(path, SplitSpec(kind="sequential")).info.problems}
    assert found["D574"].params == {"field": "kind", "count": 1, "classes": "rare"}
    assert "D015" not in found


def test_that_no_file_is_told_as_such():
    assert code_of("") == "D048"


@pytest.mark.fault("B10")
def test_that_a_hundred_thousand_classes_are_refused(tmp_path):
    rows = "\n".join(f"{i % 7},k{i}" for i in range(100_000))
    assert code_of(write(tmp_path, f"x,label\n{rows}"), target="label") == "D039"


def test_that_a_source_goes_to_another_process(people):
    source = source_of(people)
    again = pickle.loads(pickle.dumps(source))
    assert again.infos == source.infos
    assert torch.equal(again.column("town"), source.column("town"))


def test_that_the_file_is_never_changed(people):
    before = (people.read_bytes(), people.stat().st_mtime_ns)
    load(people)
    assert (people.read_bytes(), people.stat().st_mtime_ns) == before
    assert list(people.parent.iterdir()) == [people]


@pytest.mark.row("P13", "S141")
def test_that_a_model_learns_from_a_table(tmp_path: Path) -> None:
    draw = random.Random(0)
    lines = ["when;length;sort;verdict"]
    for _ in range(300):
        length, sort = draw.uniform(-2, 2), draw.choice("uvw")
        shown = f"{length:.3f}".replace(".", ",")
        verdict = "good" if (length > 0) != (sort == "w") else "bad"
        lines.append(f"{draw.randrange(1, 29):02}.01.2024;{shown};{sort};{verdict}")
    path = write(tmp_path, "\r\n".join(lines))
    data = spec(path, ignored="when", categories="one_hot")
    graph = chain(
        node("Input", "features", field="features", shape=(4,)),
        node("Linear", "hidden", out_features=32),
        node("ReLU", "act"),
        node("Linear", "head", out_features=2),
        node("Output", "logits"),
    )
    run = make_run(tmp_path / "project", graph, data=data, epochs=25)
    state = train(run)
    assert state.status is RunStatus.FINISHED
    assert state.metrics["test.accuracy"] > 0.9


def test_that_categories_are_embedded_in_a_run(tmp_path: Path) -> None:
    lines = ["town,amount"]
    value = {"Ulm": 1.0, "Bonn": -2.0, "Köln": 4.0}
    for number in range(200):
        town = ("Ulm", "Bonn", "Köln")[number * 7 % 3]
        lines.append(f"{town},{value[town]}")
    path = write(tmp_path, "\n".join(lines))
    graph = chain(
        node("Input", "categories", field="categories", shape=(1,), dtype="int64"),
        node("Embedding", "embed", num_embeddings=4, embedding_dim=4),
        node("Flatten", "flat"),
        node("Linear", "head", out_features=1),
        node("Output", "value"),
    )
    loss = LossTerm(
        loss=Choice(type="MSELoss"), inputs={"input": "model.value", "target": "data.target"}
    )
    optimizer = Choice(type="Adam", params={"lr": 0.05})
    run = make_run(
        tmp_path / "project",
        graph,
        data=spec(path),
        losses=(loss,),
        optimizer=optimizer,
        epochs=30,
    )
    state = train(run)
    assert state.status is RunStatus.FINISHED
    assert state.metrics["test.loss"] < 0.1


DAYS = ["2024-02-29 17:45", "2023-12-31", "", "2024-01-01 06:00", "1969-07-20", "2024-02-28"]


def dated(folder: Path, cells: list[str]) -> Path:
    lines = ["when,size,class", *(f"{cell},{at},{at % 2}" for at, cell in enumerate(cells))]
    return write(folder, "\n".join(lines))


def test_that_dates_can_be_several_numbers_with_gaps_filled_one_by_one(tmp_path):
    file = dated(tmp_path, DAYS)
    source = source_of(file, target="class", dates="parts", kinds="when=date")
    (field,) = (info for info in source.infos if info.role == "input")
    assert field.columns == (
        "when year", "when month", "when day", "when weekday", "when hour", "size",
    )  # fmt: skip
    rows = source.read(range(6))["features"]
    assert rows[0].tolist() == [2024, 2, 29, 3, 17.75, 0]
    assert rows[4].tolist() == [1969, 7, 20, 6, 0, 4]
    gap = rows[2, :5].tolist()
    known = rows[[0, 1, 3, 4, 5], :5].mean(dim=0).tolist()
    assert gap == pytest.approx(known, rel=1e-6)
    fitted = source.fitted(torch.tensor([1, 4]))
    assert fitted.read([2])["features"][0, 0].item() == 1996
    both = source_of(file, target="class", dates="both", kinds="when=date")
    assert both.infos[0].columns[:2] == ("when", "when year")


@pytest.mark.parametrize(
    ("cells", "parts"),
    [
        (["2024-02-29", "2023-12-31", "2024-01-01"], ["year", "month", "day", "weekday"]),
        (["17:45", "06:00", "23:59"], ["hour"]),
        (["2024-02-29 12:30", "2024-03-31 12:30"], ["month", "day", "weekday"]),
    ],
)
def test_that_dates_have_the_parts_in_which_they_differ(tmp_path, cells, parts):
    source = source_of(dated(tmp_path, cells * 4), target="class", dates="parts")
    assert source.infos[0].columns[:-1] == tuple(f"when {part}" for part in parts)


@pytest.mark.parametrize("dates", ["parts", "both"])
def test_that_a_row_that_is_typed_becomes_the_parts_of_its_date(tmp_path, dates):
    source = source_of(dated(tmp_path, DAYS), target="class", dates=dates, kinds="when=date")
    form = source.row_form
    assert form is not None
    assert list(form.kinds) == ["when", "size"]
    for index, cell in enumerate(DAYS):
        typed = form.values({"when": cell, "size": str(index)})["features"]
        assert torch.equal(typed, source.read([index])["features"][0])


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["50 kg", "61,5 kg", "", "70 kg"], [50, 61.5, -1, 70]),
        (["0:01:10", "26:00:00", "1:00:00"], [70, 93_600, 3600]),
    ],
)
def test_that_units_and_durations_are_read_as_numbers(
    tmp_path: Path, cells: list[str], values: list[float]
):
    rows = "".join(f"{cell};{at}\n" for at, cell in enumerate(cells))
    found = source_of(write(tmp_path, f"v;y\n{rows}"), kinds="v=number").column("v")
    assert found is not None
    assert found.nan_to_num(-1).tolist() == values


def test_that_a_new_row_may_have_its_unit_or_none(tmp_path: Path):
    form = NumberCell(column="v", kind="number", decimal=",", unit="kg")
    assert [read_number(cell, form) for cell in ("61,5 kg", "61,5", 61.5)] == [61.5] * 3
    with pytest.raises(WrongCellError):
        read_number("61,5 lb", form)
