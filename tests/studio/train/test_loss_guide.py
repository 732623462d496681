"""The guide beside a loss offers what fits the target, and binds what is chosen."""

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup
from engine.data.load.load import load_data
from engine.graph.model import Graph
from engine.model.analysis import analyse
from engine.spec.loss_advice import BY_OUTPUTS, BY_TARGET
from engine.spec.run import Choice, DataSpec, LossTerm
from studio.session.session import Session
from studio.train.loss_guide import LossGuide, is_loss_name, loss_meanings
from tests.rows.test_every_choice import one, twins
from tests.tiny_run import iris_spec


@pytest.fixture
def guide(qtbot):
    """Return what shows the guide for data and a model, with its session."""

    def show(data: str, graph: Graph, name: str = "losses.0.loss") -> tuple[LossGuide, Session]:
        session = Session()
        spec = iris_spec(data=DataSpec(source=Choice(type=data)), losses=(), metrics=())
        session.change(graph, spec, "open")
        session.find(analysis=analyse(graph), data=load_data(spec.data).info)
        menu = LossGuide(session, name, None)
        qtbot.addWidget(menu)
        return menu, session

    return show


def offered(menu: QMenu) -> dict[str, QAction]:
    return {
        action.objectName().removeprefix("loss."): action
        for action in menu.actions()
        if action.objectName().startswith("loss.")
    }


@pytest.mark.row("S161")
def test_that_a_loss_for_classes_is_chosen_with_its_target_and_taken_back(guide):
    menu, session = guide("iris", one("iris", 3))
    first, *_ = menu.actions()
    assert (first.text(), first.isEnabled()) == ("label: one of 3 classes", False)
    found = offered(menu)
    assert next(iter(found)) == "CrossEntropyLoss"
    assert "LogSoftmax" in found["NLLLoss"].toolTip()
    found["CrossEntropyLoss"].trigger()
    (term,) = session.spec.losses
    assert term.inputs == {"input": "model.out", "target": "data.label"}
    session.undo()
    assert session.spec.losses == ()


@pytest.mark.row("S161")
def test_that_a_second_loss_is_added_and_a_chosen_one_keeps_its_factor(guide):
    menu, session = guide("diabetes", one("diabetes", 1))
    offered(menu)["MSELoss"].trigger()
    (first,) = session.spec.losses
    weighted = (LossTerm(loss=first.loss, inputs=first.inputs, weight=0.25),)
    session.change(session.graph, iris_spec(data=session.spec.data, losses=weighted), "factor")
    for number, key, losses in (
        (1, "L1Loss", [("MSELoss", 0.25), ("L1Loss", 1.0)]),
        (0, "HuberLoss", [("HuberLoss", 0.25), ("L1Loss", 1.0)]),
    ):
        again = LossGuide(session, f"losses.{number}.loss", None)
        offered(again)[key].trigger()
        assert [(term.loss.type, term.weight) for term in session.spec.losses] == losses


@pytest.mark.row("S161")
@pytest.mark.parametrize(("outputs", "is_possible"), [(1, False), (3, True)])
def test_that_rankings_and_triplets_stand_apart_and_say_what_they_lack(guide, outputs, is_possible):
    menu, session = guide("diabetes", twins(outputs, 4))
    (others,) = menu.findChildren(QMenu, "loss.guide.others")
    found = offered(others)
    assert found.keys() == set(BY_OUTPUTS)
    triplet = found["TripletMarginLoss"]
    assert triplet.isEnabled() is is_possible
    assert ("2 more outputs" in triplet.toolTip()) is not is_possible
    triplet.trigger()
    assert len(session.spec.losses) == int(is_possible)


def test_that_each_loss_that_is_advised_is_in_the_catalogue_and_says_what_it_is_for(qapp):
    keys = {key for names in BY_TARGET.values() for key in names} | set(BY_OUTPUTS)
    assert keys <= {entry.key for entry in catalog().group(EntryGroup.LOSS)}
    assert loss_meanings().keys() == keys
    assert all(map(is_loss_name, ("losses.0.loss", "losses.12.loss")))
    assert not any(map(is_loss_name, ("losses.0.weight", "losses.0.loss.weight", "weights")))
