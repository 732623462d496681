"""Files of tensors that are given to the window: the wizard, the weights, or a question."""

import pytest
import torch
from PySide6.QtWidgets import QDialog, QPushButton

from engine.query.data.peek import peek_data
from engine.query.data.proposal import propose_data
from engine.query.data.request import JudgeTensors, PeekData, ProposeData
from engine.query.data.tensor_file import judge_tensors

X, Y = torch.randn(40, 3), torch.arange(40) % 2


@pytest.fixture
def started(studio, host, tmp_path):
    """Return what starts the window with a file of these tensors."""
    answers = {JudgeTensors: judge_tensors, ProposeData: propose_data, PeekData: peek_data}
    host.own |= answers

    def start(content):
        path = tmp_path / "arr.pt"
        torch.save(content, path)
        studio.show(path)
        return path

    return start


def dialog_of(studio):
    return studio.window.findChild(QDialog, "dialog.data")


def test_that_arrays_to_train_on_start_the_wizard(studio, started, qtbot):
    path = started({"data": X, "targets": Y})
    qtbot.waitUntil(lambda: dialog_of(studio) is not None)
    assert dialog_of(studio).path == str(path)
    create = dialog_of(studio).findChild(QPushButton, "dialog.data.create")
    qtbot.waitUntil(create.isEnabled)


def test_that_weights_stay_weights(studio, started, qtbot):
    started(torch.nn.Linear(3, 2).state_dict())
    qtbot.waitUntil(lambda: bool(studio.notifications.lines))
    assert "before you load weights" in studio.notifications.lines[-1].text
    assert dialog_of(studio) is None


def test_that_the_user_says_what_names_and_shapes_do_not(studio, started, qtbot):
    path = started({"spectra": X, "mass": X[:, 0].clone()})
    qtbot.waitUntil(lambda: studio.window.findChild(QDialog, "question.tensors") is not None)
    question = studio.window.findChild(QDialog, "question.tensors")
    question.findChild(QPushButton, "question.tensors.data").click()
    qtbot.waitUntil(lambda: dialog_of(studio) is not None)
    assert dialog_of(studio).path == str(path)
