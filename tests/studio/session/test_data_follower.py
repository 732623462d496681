"""After another choice of data, model and loss follow when the data is described."""

import pytest
from msgspec.structs import replace

from engine.query.ask import ask
from engine.query.data.request import DescribeData, ProposeData
from engine.spec.data import DataInfo
from engine.spec.proposal import Answers
from engine.spec.run import DataSpec
from studio.run_control.spec_editor import SpecEditor
from studio.session.data_follower import DataFollower
from studio.session.session import Document, Session

TARGET = "data.source.target"


@pytest.fixture
def houses(tmp_path):
    path = tmp_path / "houses.csv"
    rows = (
        f"{at % 13},{at % 7},{400_000 + 900 * (at % 13)},{(at % 7) * 1e-6:g}" for at in range(90)
    )
    path.write_text("size,age,price,leak\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def session(houses):
    answers = Answers(source="table", params={"inputs": "size,age"})
    proposal = ask(ProposeData(path=str(houses), target="price", answers=answers))
    session = Session()
    assert proposal.graph is not None
    session.open(None, Document(graph=proposal.graph, spec=proposal.spec))
    session.find(data=proposal.info)
    return session


def described(data: DataSpec) -> DataInfo:
    return ask(DescribeData(data=data))


def test_that_one_undo_takes_back_a_target_with_the_model_that_followed(session, qtbot):
    editor = SpecEditor(session, lambda: "en", DataFollower(session).note_choice)
    before = session.document
    editor.set(TARGET, "leak")
    chosen = session.spec.data
    session.find(data=described(chosen), is_checked=True)
    qtbot.waitUntil(lambda: session.spec.losses != before.spec.losses)
    shift = session.graph.nodes["shift"].params["other"]
    assert 0 < shift < 1e-3
    assert session.spec.losses[0].weight > 1e6
    followed = session.document
    session.undo()
    assert session.document == before
    assert not session.can_undo
    session.redo()
    assert session.document == followed


def test_that_a_split_follows_what_is_predicted_unless_it_was_chosen(houses, qtbot):
    table = houses.with_name("kinds.csv")
    rows = (
        f"{at % 13},{at % 7},{'ab'[at % 2]},{'lmr'[at % 3]},{400_000 + 900 * (at % 13)}"
        for at in range(90)
    )
    table.write_text("size,age,kind,side,price\n" + "\n".join(rows) + "\n", encoding="utf-8")
    answers = Answers(source="table", params={"inputs": "size,age"})
    proposal = ask(ProposeData(path=str(table), target="kind", answers=answers))
    session = Session()
    assert proposal.graph is not None
    session.open(None, Document(graph=proposal.graph, spec=proposal.spec))
    session.find(data=proposal.info)
    editor = SpecEditor(session, lambda: "en", DataFollower(session).note_choice)
    before = session.document

    def choose(target, loss, *splits):
        editor.set(TARGET, target)
        for split in splits:
            session.find(data=described(session.spec.data), is_checked=True)
            qtbot.waitUntil(lambda split=split: session.spec.data.split.kind == split)
        session.find(data=described(session.spec.data), is_checked=True)
        qtbot.waitUntil(lambda: session.spec.losses[0].loss.type == loss)

    assert before.spec.data.split.kind == "stratified"
    choose("price", "MSELoss", "random")
    numbers = session.document
    session.seal()
    choose("kind", "CrossEntropyLoss", "stratified")
    assert session.spec.data.split == before.spec.data.split
    session.undo()
    assert session.document == numbers
    session.undo()
    assert session.document == before
    editor.set("data.split.kind", "random")
    session.find(data=described(session.spec.data), is_checked=True)
    editor.set(TARGET, "side")
    session.find(data=described(session.spec.data), is_checked=True)
    qtbot.waitUntil(lambda: session.graph != before.graph)
    assert session.spec.data.split.kind == "random"


def test_that_nothing_follows_what_the_data_were_before(session, qtbot):
    editor = SpecEditor(session, lambda: "en", DataFollower(session).note_choice)
    before = session.document
    info = described(before.spec.data)
    session.find(data=replace(info, samples=info.samples + 1), is_checked=True)  # told late
    editor.set(TARGET, "leak")
    session.find(data=described(session.spec.data), is_checked=True)
    qtbot.waitUntil(lambda: session.spec.losses != before.spec.losses)
    assert 0 < session.graph.nodes["shift"].params["other"] < 1e-3


def test_that_a_change_in_between_stays_a_step_of_its_own(session, qtbot):
    editor = SpecEditor(session, lambda: "en", DataFollower(session).note_choice)
    usual = session.spec.losses
    editor.set(TARGET, "leak")
    session.change(session.graph, replace(session.spec, epochs=7), "Change setting")
    session.find(data=described(session.spec.data), is_checked=True)
    qtbot.waitUntil(lambda: session.spec.losses != usual)
    session.undo()
    assert (session.spec.epochs, session.spec.losses) == (7, usual)
