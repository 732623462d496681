"""Which column of new data is proposed as the weight of the samples, and what follows from it."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from engine.api import predict_file
from engine.query.data.proposal import propose_data
from engine.query.data.request import ProposeData
from engine.query.model.answer import check
from engine.query.model.request import Check
from engine.runs.folder import RunFolder
from engine.runs.record.state import RunStatus
from engine.spec.proposal import Answers, Proposal
from engine.spec.run import Choice, LossTerm
from tests.tiny_run import train


def table(folder: Path, name: str, weight: str = "0.5") -> Path:
    path = folder / "t.csv"
    rows = (f"{at},{at * at % 11},{weight if at % 2 else 1},{'ab'[at % 2]}" for at in range(60))
    path.write_text("\n".join([f"x,y,{name},label", *rows]), encoding="utf-8")
    return path


def proposed(path: Path, **params: str) -> Proposal:
    return propose_data(ProposeData(path=str(path), answers=Answers(params=dict(params))))


def role(proposal: Proposal, column: str) -> str:
    return next(each.role for each in proposal.table if each.name == column)


@pytest.mark.parametrize(
    ("name", "weight", "expected"),
    [
        ("sample_weight", "0.5", "weight"),
        ("Sample Weight", "3", "weight"),
        ("样本权重", "2", "weight"),
        ("weight", "0.5", "input"),  # of a car, say
        ("sample_weight", "-1", "input"),
    ],
)
def test_that_only_a_column_that_is_called_so_is_proposed_as_the_weight(
    tmp_path: Path, name: str, weight: str, expected: str
) -> None:
    proposal = proposed(table(tmp_path, name, weight))
    assert role(proposal, name) == expected
    assert check(Check(graph=proposal.graph, spec=proposal.spec)).problems == ()


def test_that_what_the_user_says_of_the_column_counts(tmp_path: Path) -> None:
    path = table(tmp_path, "sample_weight")
    assert role(proposed(path, weight=""), "sample_weight") == "input"
    assert role(proposed(path, ignored="sample_weight"), "sample_weight") == "ignored"
    assert role(proposed(path, weight="y"), "sample_weight") == "input"


def test_that_a_loss_that_cannot_be_weighed_is_told_at_its_place(tmp_path: Path) -> None:
    proposal = proposed(table(tmp_path, "sample_weight"))
    assert proposal.graph is not None
    (term,) = proposal.spec.losses
    own = LossTerm(loss=Choice(type="ModelOutput"), inputs={"input": term.inputs["input"]})
    spec = replace(proposal.spec, losses=(term, own))
    problems = check(Check(graph=proposal.graph, spec=spec)).problems
    assert [(each.code, each.field) for each in problems] == [("R524", "losses.1.loss")]


def test_that_predicting_needs_no_weights(tmp_path: Path) -> None:
    proposal = proposed(table(tmp_path, "sample_weight"))
    assert proposal.graph is not None
    spec = replace(proposal.spec, epochs=1, device="cpu", threads=1)
    run = RunFolder.create(tmp_path, proposal.graph, spec)
    state = train(run)
    assert state.status is RunStatus.FINISHED, state.problem
    new = tmp_path / "new.csv"
    new.write_text("x,y\n1,2\n3,4\n")
    predict_file(run.path, new, tmp_path / "out.csv")
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 3
