"""Proposals for very few samples."""

import pytest

from engine.query.ask import ask
from engine.query.data.request import ProposeData
from engine.query.model.request import Check


@pytest.mark.parametrize("rows", [2, 3, 4, 6])
def test_that_a_few_rows_are_divided_so_that_they_can_be_trained_on(tmp_path, rows):
    path = tmp_path / "few.csv"
    lines = (f"{at},{at * at},{'xy'[at % 2]}\n" for at in range(rows))
    path.write_text("a,b,label\n" + "".join(lines), encoding="utf-8")
    proposal = ask(ProposeData(path=str(path)))
    assert proposal.graph is not None
    problems = ask(Check(graph=proposal.graph, spec=proposal.spec)).problems
    assert [each.code for each in problems if each.severity == "error"] == []
    split = proposal.spec.data.split
    assert split.train + split.validation + split.test == pytest.approx(1)
