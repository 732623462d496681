"""The column of a table that says how much the loss of each row counts."""

from pathlib import Path

import pytest

from engine.catalog.spec import Value
from engine.data.load.load import load_data
from engine.data.load.part import TensorPart
from engine.data.preview import describe
from engine.data.source.registry import load_source
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.query.data.columns import list_table_columns
from engine.query.data.request import ListTableColumns
from engine.spec.data import FieldInfo
from engine.spec.run import Choice, DataSpec

ROWS = "".join(f"{at},{at * at % 7},{'ab'[at % 2]},{at % 4}\n" for at in range(40))
HEAD = "x,y,kind,w\n"


def choice(folder: Path, text: str = HEAD + ROWS, **params: Value) -> Choice:
    path = folder / "t.csv"
    path.write_text(text, encoding="utf-8")
    given: dict[str, Value] = {"path": str(path), "target": "kind", "weight": "w"}
    return Choice(type="table", params=given | params)


def problem(source: Choice) -> Diagnostic:
    with pytest.raises(DiagnosticError) as refused:
        load_source(source)
    (found,) = refused.value.problems
    return found


def test_that_a_weight_is_a_field_of_its_own_and_no_input(tmp_path: Path) -> None:
    source = load_source(choice(tmp_path))
    assert source.infos[-1] == FieldInfo(
        name="sample_weight", role="weight", kind="scalar", shape=(), dtype="float32"
    )
    assert [info.columns for info in source.infos if info.role == "input"] == [("x", "y")]
    assert [float(each) for each in source.read([1, 6])["sample_weight"]] == [1.0, 2.0]
    data = load_data(DataSpec(source=choice(tmp_path), normalization="standard"))
    part = data.parts["train"]
    assert isinstance(part, TensorPart)
    weights = part.values["sample_weight"].tolist()
    assert weights == (data.indices["train"] % 4).tolist()  # never normalised


def test_that_the_column_is_told_with_its_role(tmp_path: Path) -> None:
    used = list_table_columns(ListTableColumns(source=choice(tmp_path))).used
    assert [(each.name, each.role) for each in used] == [
        *(("x", "input"), ("y", "input")),
        *(("kind", "target"), ("w", "weight")),
    ]


def test_that_no_split_or_sampler_goes_by_the_weight(tmp_path: Path) -> None:
    texts = "".join(f"some words {at},{at},{'ab'[at % 2]},{at}\n" for at in range(20))
    (tmp_path / "mixed").mkdir()
    for source in (
        choice(tmp_path),
        choice(tmp_path / "mixed", "words,x,kind,w\n" + texts, kinds="words=text"),
    ):
        info = load_data(DataSpec(source=source)).info
        assert "w" in [column.name for column in info.file_columns]
        assert [column.name for column in info.columns] == [
            column.name for column in info.file_columns if column.name != "w"
        ]


def test_that_files_and_texts_beside_a_weight_are_read_with_it(tmp_path: Path) -> None:
    rows = "".join(f"some words {at},{'ab'[at % 2]},{at}\n" for at in range(20))
    source = load_source(choice(tmp_path, "words,kind,w\n" + rows, kinds="words=text"))
    assert [float(each) for each in source.read([3])["sample_weight"]] == [3.0]
    assert [info.role for info in source.infos] == ["input", "target", "target", "weight"]


@pytest.mark.parametrize(
    ("cell", "code", "value"),
    [("", "D564", ""), ("-0.5", "D565", "-0.5"), ("inf", "D565", "inf"), ("much", "D568", "much")],
)
def test_that_what_is_no_weight_is_told_with_its_row(
    tmp_path: Path, cell: str, code: str, value: str
) -> None:
    found = problem(choice(tmp_path, f"{HEAD}{ROWS}1,2,a,{cell}\n"))
    assert (found.code, found.field) == (code, "data.source.weight")
    assert (found.params["row"], found.params["value"]) == (42, value)


def test_that_rows_without_a_weight_go_where_gaps_are_dropped(tmp_path: Path) -> None:
    source = load_source(choice(tmp_path, f"{HEAD}{ROWS}1,2,a,\n", missing="drop"))
    assert source.samples == 40


@pytest.mark.parametrize(
    "params", [{"target": "w"}, {"inputs": "x, w"}, {"ignored": "w"}, {"group": "w"}]
)
def test_that_a_weight_has_no_other_role(tmp_path: Path, params: dict[str, str]) -> None:
    assert problem(choice(tmp_path, HEAD + ROWS, **params)).code == "D047"


@pytest.mark.parametrize(
    ("weight", "codes"), [("0", ["D566"]), ("50", ["D567"]), ("0.01", ["D567"]), ("2", [])]
)
def test_that_weights_that_change_the_whole_training_are_told(
    tmp_path: Path, weight: str, codes: list[str]
) -> None:
    rows = "".join(f"{at},{at % 3},{'ab'[at % 2]},{weight}\n" for at in range(40))
    info = describe(DataSpec(source=choice(tmp_path, HEAD + rows)))
    assert [each.code for each in info.problems] == codes
