"""What is proposed by the words of a file: its encoding, and the names of its columns."""

import pytest

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


def test_that_who_left_is_predicted_and_not_what_was_sold(tmp_path):
    rows = "".join(f"{n * 17 % 90},{n},{'ja' if n % 3 else 'nein'}\n" for n in range(60))
    (tmp_path / "kunden.csv").write_text("Umsatz,Alter,gekündigt\n" + rows, encoding="utf-8")
    assert propose_data(ProposeData(path=str(tmp_path / "kunden.csv"))).target == "gekündigt"
