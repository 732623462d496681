"""Tables in JSON files: a list of objects, alone or in an outer object."""

import gzip
import json
from pathlib import Path

import pytest

from engine.data.load.load import load_data
from engine.data.read import stream
from engine.data.read.table import detect_format, read_head, read_table
from engine.diagnostics import DiagnosticError, sentence
from engine.query.ask import ask
from engine.query.data.request import PeekData, ProposeData

PEOPLE: list[dict[str, object]] = [
    {"年龄": 20 + at, "town": ["Ulm", "Köln"][at % 2], "note": "a]\n{b", "member": at % 3 == 0}
    for at in range(40)
]
PEOPLE[3] = {"年龄": None, "town": "Ulm", "more": {"deep": [1, 2]}}


def written(folder: Path, value: object, name: str = "人.json", **options: int) -> Path:
    path = folder / name
    path.write_text(json.dumps(value, ensure_ascii=False, **options), encoding="utf-8")
    return path


def refused(path: Path) -> str:
    with pytest.raises(DiagnosticError) as caught:
        read_table(path)
    for language in ("en", "zh_CN"):
        assert path.name in sentence(caught.value.problems[0], language)
    return caught.value.problems[0].code


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("outer", [False, True])
def test_that_a_list_of_objects_is_a_table(tmp_path, monkeypatch, indent, outer):
    monkeypatch.setattr(stream, "_PIECE", 7)  # objects are read over the ends of pieces
    value = {"schema": {"fields": [1]}, "data": PEOPLE} if outer else PEOPLE
    if outer:
        monkeypatch.undo()  # the names before the list are in the first piece
    table = read_table(written(tmp_path, value, indent=indent))
    assert table.names == ("年龄", "town", "note", "member", "more")
    assert list(table.column("年龄").cells())[2:5] == ["22", "", "24"]
    assert table.column("note").cell(5) == "a]\n{b"
    assert table.column("member").cell(0) == "true"
    assert table.column("more").cell(3) == '{"deep":[1,2]}'
    assert table.lines.tolist() == list(range(1, 41))


def test_that_a_list_is_proposed_shown_and_loaded_like_other_tables(tmp_path):
    path = written(tmp_path, PEOPLE)
    head = read_head(path)
    assert {info.name: info.kind for info in head.columns}["member"] == "binary"
    proposal = ask(ProposeData(path=str(path), target="member"))
    assert (proposal.spec.data.source.type, proposal.target) == ("table", "member")
    assert proposal.graph is not None
    assert load_data(proposal.spec.data).source.samples == 39
    assert ask(PeekData(path=str(path))).names[:2] == ("年龄", "town")


def test_that_packed_lists_and_lists_in_other_encodings_are_read(tmp_path):
    text = json.dumps(PEOPLE, ensure_ascii=False)
    packed = tmp_path / "a.json.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    other = tmp_path / "b.json"
    other.write_bytes(text.encode("utf-16"))
    for path in (packed, other):
        assert read_table(path).names[0] == "年龄"


def test_that_lists_in_lines_stay_lines(tmp_path):
    path = tmp_path / "lines.json"
    path.write_text('{"of": [{"a": 1}], "b": 1}\n{"of": [], "b": 2}\n', encoding="utf-8")
    assert detect_format(path).kind == "jsonl"
    assert read_table(path).column("b").cell(1) == "2"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('[{"a": 1}, {"a": 2}', "D495"),  # cut off
        ('[{"a": 1}, {"a": ', "D495"),
        ('[{"a": 1}, 5]', "D495"),
        ('[{"a": 1} {"a": 2}]', "D495"),
        ('[{"a": ' + "[" * 100_000, "D495"),
        ("[1, 2, 3]", "D496"),
        ('{"a": {\n"b": 1}}', "D496"),
        ("[]", "D496"),
        ("{" * 50, "D496"),
    ],
)
def test_that_what_is_no_list_of_objects_is_told(tmp_path, text, code):
    path = tmp_path / "x.json"
    path.write_text(text, encoding="utf-8")
    assert refused(path) == code
