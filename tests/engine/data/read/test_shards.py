"""Data set folders of Hugging Face: parts in several Parquet or Arrow files."""

import json
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import ipc, parquet

from engine.data.load.load import load_split
from engine.data.read.shards import find_shards
from engine.data.read.table import read_head, read_table
from engine.data.source.registry import load_source
from engine.diagnostics import DiagnosticError, sentence
from engine.query.ask import ask
from engine.query.data.request import PeekData, ProposeData

FEATURES = {
    "size": {"dtype": "int64", "_type": "Value"},
    "kind": {"names": ["ham", "spam"], "_type": "ClassLabel"},
}


def rows(start: int, count: int) -> pa.Table:
    numbers = range(start, start + count)
    return pa.table({"size": list(numbers), "kind": [number % 2 for number in numbers]})


def saved(folder: Path, *tables: pa.Table, features: object = FEATURES) -> Path:
    """Write a part as ``save_to_disk`` does."""
    folder.mkdir(parents=True)
    names = [f"data-{at:05}-of-{len(tables):05}.arrow" for at in range(len(tables))]
    for name, table in zip(names, tables, strict=True):
        with ipc.new_stream(folder / name, table.schema) as writer:
            writer.write_table(table)
    state = {"_data_files": [{"filename": name} for name in names], "_split": None}
    (folder / "state.json").write_text(json.dumps(state))
    (folder / "dataset_info.json").write_text(json.dumps({"features": features}))
    return folder


def both(folder: Path) -> Path:
    """Write a data set of two parts."""
    saved(folder / "train", rows(0, 40), rows(40, 20))
    saved(folder / "test", rows(60, 20))
    (folder / "dataset_dict.json").write_text(json.dumps({"splits": ["train", "test"]}))
    return folder


def refused(folder: Path) -> str:
    with pytest.raises(DiagnosticError) as caught:
        read_table(folder)
    assert str(folder) in sentence(caught.value.problems[0], "zh_CN")
    return caught.value.problems[0].code


def test_that_files_of_a_saved_data_set_are_one_table_with_names_of_classes(tmp_path):
    table = read_table(saved(tmp_path / "set", rows(0, 70_000), rows(70_000, 5)))
    assert table.names == ("size", "kind")
    assert list(table.column("size").cells()) == [str(at) for at in range(70_005)]
    assert list(table.column("kind").cells())[-2:] == ["spam", "ham"]
    assert table.column("size").cell(70_003) == "70003"
    assert table.lines.tolist()[-1] == 70_005


def test_that_parts_are_a_column_by_which_the_data_is_split_and_trained(tmp_path):
    folder = both(tmp_path / "set")
    assert read_head(folder).columns[0].name == "split"
    proposal = ask(ProposeData(path=str(folder)))
    data = proposal.spec.data
    assert (data.source.type, proposal.target) == ("table", "kind")
    assert [field.name for field in proposal.info.fields if field.role == "input"] == ["features"]
    source, indices = load_split(data)
    assert indices["test"].tolist() == list(range(60, 80))
    assert source.samples == 80
    assert proposal.graph is not None
    assert ask(PeekData(path=str(folder))).names == ("split", "size", "kind")


def test_that_parquet_files_from_the_hub_are_parts_too(tmp_path):
    (tmp_path / "data").mkdir()
    for name, table in (
        ("train-00001-of-00002", rows(20, 20)),
        ("train-00000-of-00002", rows(0, 20)),
        ("validation-00000-of-00001", rows(40, 10)),
    ):
        parquet.write_table(table, tmp_path / "data" / f"{name}.parquet")
    (tmp_path / "README.md").write_text("# A data set")
    proposal = ask(ProposeData(path=str(tmp_path), target="kind"))
    source, indices = load_split(proposal.spec.data)
    assert indices["validation"].tolist() == list(range(40, 50))
    assert source.column("size")[:40].tolist() == list(range(40))


def test_that_other_columns_documents_inside_and_other_folders_are_told(tmp_path):
    other = pa.table({"size": [1, 2], "colour": ["red", "blue"]})
    saved(tmp_path / "mixed", rows(0, 5), other)
    with pytest.raises(DiagnosticError) as caught:
        read_table(tmp_path / "mixed")
    assert caught.value.problems[0].code == "D444"
    scans = pa.table({"scan": [{"bytes": b"1", "path": "1.pdf"}], "kind": [1]})
    inside = {"scan": {"_type": "Pdf"}, "kind": FEATURES["kind"]}
    assert refused(saved(tmp_path / "scans", scans, features=inside)) == "D445"
    (tmp_path / "empty").mkdir()
    assert refused(tmp_path / "empty") == "D443"


def described(table: pa.Table, features: object) -> pa.Table:
    """Return a table with the metadata that files of the hub have."""
    content = json.dumps({"info": {"features": features}})
    return table.replace_schema_metadata({"huggingface": content})


def test_that_a_file_of_the_hub_says_itself_what_its_classes_are_called(tmp_path):
    file = tmp_path / "train-00000-of-00001.parquet"
    swapped = {**FEATURES, "kind": {"names": ["1", "0"], "_type": "ClassLabel"}}
    parquet.write_table(described(rows(0, 30), swapped), file)
    assert list(read_table(file).column("kind").cells())[:2] == ["1", "0"]
    assert [row[1] for row in read_head(file).rows[:2]] == ["1", "0"]
    assert list(read_table(tmp_path).column("kind").cells())[:2] == ["1", "0"]
    proposal = ask(ProposeData(path=str(file)))
    assert proposal.target == "kind"
    target = proposal.info.target
    assert target is not None
    assert target.classes == ("0", "1")
    # What the folder says beside it is not applied to names a second time.
    (tmp_path / "dataset_info.json").write_text(json.dumps({"features": swapped}))
    assert list(read_table(tmp_path).column("kind").cells())[:2] == ["1", "0"]


@pytest.mark.parametrize("is_described", [True, False])
def test_that_files_inside_that_are_not_read_are_known_without_a_description_beside(
    tmp_path, is_described
):
    pages = [{"bytes": b"1", "path": "1.pdf"}, {"bytes": b"2", "path": "2.pdf"}]
    scans = pa.table({"scan": pages, "kind": [1, 0]})
    if is_described:
        scans = described(scans, {"scan": {"_type": "Pdf"}, "kind": FEATURES["kind"]})
    file = tmp_path / "train.parquet"
    parquet.write_table(scans, file)
    for path in (file, tmp_path):
        assert refused(path) == "D445"
        with pytest.raises(DiagnosticError) as caught:
            read_head(path)
        assert caught.value.problems[0].params["columns"] == "scan"
    # Beside columns to learn from they are left out.
    more = scans.append_column("size", pa.array([3, 4]))
    parquet.write_table(more.append_column("age", pa.array([5, 6])), file)
    assert read_head(file).columns[0].kind == "empty"


def test_that_descriptions_of_strangers_name_nothing_outside_and_do_no_harm(tmp_path):
    outside = saved(tmp_path / "outside", rows(0, 5))
    folder = saved(tmp_path / "set", rows(0, 5))
    state = {"_data_files": [{"filename": f"../outside/{file.name}"} for file in outside.iterdir()]}
    (folder / "state.json").write_text(json.dumps(state))
    assert [shard.file.parent for shard in find_shards(folder)] == [folder]  # as it lies there
    (folder / "state.json").write_text("[" * 100_000)
    assert len(find_shards(folder)) == 1
    (tmp_path / "dict").mkdir()
    (tmp_path / "dict" / "dataset_dict.json").write_text('{"splits": ["../outside", "/etc"]}')
    assert find_shards(tmp_path / "dict") == ()


def test_that_a_stream_of_arrow_is_a_table(tmp_path):
    folder = saved(tmp_path / "set", rows(0, 30))
    (file,) = folder.glob("*.arrow")
    assert read_table(file).rows == 30
    proposal = ask(ProposeData(path=str(file), target="kind"))
    assert load_source(proposal.spec.data.source).samples == 30
