"""What is proposed by the words of a file: its encoding, and the names of its columns."""

from pathlib import Path

import pytest

from engine.data.read import text
from engine.files import read_file
from engine.query.data.proposal import propose_data
from engine.query.data.request import ProposeData
from engine.spec.proposal import Answers


@pytest.mark.fault("B11")
@pytest.mark.parametrize(("encoding", "is_told"), [("cp1252", True), ("utf-8", False)])
@pytest.mark.parametrize("name", ["table.csv", "text.txt"])
def test_that_a_guessed_encoding_is_told(tmp_path, name, encoding, is_told):
    rows = "".join(f"Köln und Düsseldorf, {number},{number % 7}\n" for number in range(60))
    (tmp_path / name).write_bytes(("Städte,Nummer,Größe\n" + rows).encode(encoding))
    proposal = propose_data(ProposeData(path=str(tmp_path / name)))
    told = [p.params["encoding"] for p in proposal.info.problems if p.code == "D585"]
    assert told == ([encoding] if is_told else [])
    chosen = Answers(params={"encoding": encoding})
    proposal = propose_data(ProposeData(path=str(tmp_path / name), answers=chosen))
    assert "D585" not in {problem.code for problem in proposal.info.problems}


def test_that_a_text_file_is_read_once_for_its_text_and_its_encoding(tmp_path, monkeypatch):
    file = tmp_path / "text.txt"
    file.write_bytes("Köln und Düsseldorf. ".encode("cp1252") * 200)
    read: list[Path] = []

    def counted(path: Path, limit: int) -> bytes:
        read.append(path)
        return read_file(path, limit)

    monkeypatch.setattr(text, "read_file", counted)
    problems = propose_data(ProposeData(path=str(file))).info.problems
    assert "D585" in {problem.code for problem in problems}
    assert read == [file]


@pytest.mark.parametrize(("words", "is_drawn"), [("train test", True), ("train val test", False)])
def test_that_a_set_that_a_column_does_not_name_is_drawn_by_class(tmp_path, words, is_drawn):
    sets = words.split()
    rows = (f"{n * 17 % 90}.5,{n % 3 == 0},{sets[n % len(sets)]}\n" for n in range(120))
    (tmp_path / "parts.csv").write_text("size,is_new,set\n" + "".join(rows), encoding="utf-8")
    found = propose_data(ProposeData(path=str(tmp_path / "parts.csv"), target="is_new"))
    split = found.spec.data.split
    assert (split.kind, split.column, split.stratified) == ("column", "set", is_drawn)


def test_that_who_left_is_predicted_and_not_what_was_sold(tmp_path):
    rows = "".join(f"{n * 17 % 90},{n},{'ja' if n % 3 else 'nein'}\n" for n in range(60))
    (tmp_path / "kunden.csv").write_text("Umsatz,Alter,gekündigt\n" + rows, encoding="utf-8")
    assert propose_data(ProposeData(path=str(tmp_path / "kunden.csv"))).target == "gekündigt"
