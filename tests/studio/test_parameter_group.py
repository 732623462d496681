"""Groups of parameters in the recipe, typed in as a user does."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit

from engine.runs.folder import RunFolder
from engine.runs.state import RunState
from engine.spec.run import ParameterGroup
from studio.presenters.recipe import present_train_form
from studio.presenters.run import present_curves, present_live
from studio.run_bridge import RunUpdate


@pytest.fixture
def train(opened):
    opened.window.show_workspace("train")
    return opened.window.page("train")


def write(qtbot, train, name, text):
    qtbot.waitUntil(lambda: train.form.findChild(QLineEdit, f"field.{name}") is not None)
    editor = train.form.findChild(QLineEdit, f"field.{name}")
    editor.setFocus()
    editor.selectAll()
    qtbot.keyClicks(editor, text)
    qtbot.keyClick(editor, Qt.Key.Key_Return)


@pytest.mark.row("S170")
def test_that_a_group_is_typed_in_and_has_the_rate_of_the_optimizer_until_it_has_its_own(
    opened, train, qtbot
):
    session = opened.session
    write(qtbot, train, "groups.0.match", "hidden1, *.bias")
    qtbot.waitUntil(lambda: session.spec.groups == (ParameterGroup(match="hidden1, *.bias"),))
    form = present_train_form(opened.services.editor.recipe())
    (group,) = [group for group in form.groups if group.name == "group0"]
    fields = {view.name: view for view in group.fields}
    rest = next(v for g in form.groups for v in g.fields if v.name == "optimizer.lr")
    assert fields["groups.0.lr"].is_auto
    assert fields["groups.0.lr"].resolved == rest.text
    write(qtbot, train, "groups.0.lr", "0.25")
    qtbot.waitUntil(lambda: session.spec.groups[0].params == {"lr": 0.25})


@pytest.mark.row("S223")
def test_that_the_rate_that_is_shown_is_that_of_the_rest_and_each_group_has_its_curve(opened):
    session = opened.session
    folder = RunFolder.create(session.project.path, session.graph, session.spec, "first")
    steps = np.array([1, 2])
    curves = {"lr.0": (steps, np.array([0.1, 0.1])), "lr.1": (steps, np.array([1.0, 1.0]))}
    update = RunUpdate(folder=folder, state=RunState(), curves=curves, starts=1)
    assert present_live(update, "").values["optimizer.lr"] == "0.1"
    labels = [series.label for series in present_curves(update, "lr").series]
    assert labels == ["learning rate", "learning rate, group 1"]
