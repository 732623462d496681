"""A teacher is chosen from the runs of the project, or a file is copied into it."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QMenu

from engine.runs.record.state import CheckpointInfo, RunState
from studio.train.teacher import TeacherMenu
from tests.tiny_run import make_run


def entries(menu: QMenu) -> dict[str, str]:
    """Return the texts of what can be chosen, by object name, with those of the menus in it."""
    found: dict[str, str] = {}
    for action in menu.actions():
        inner = action.menu()
        if isinstance(inner, QMenu):
            found |= entries(inner)
        elif action.objectName():
            found[action.objectName()] = action.text()
    return found


@pytest.fixture
def states(tmp_path: Path):
    info = CheckpointInfo(file="step-00000009.ckpt", sha256="", step=9, epoch=1)
    runs = [make_run(tmp_path) for _ in range(2)]
    trained = RunState(checkpoints=(info,), best=info)
    return {runs[0].id: (runs[0], trained), runs[1].id: (runs[1], RunState())}


def test_that_runs_with_a_checkpoint_are_offered_and_one_is_chosen(qtbot, states):
    chosen: list[str] = []
    menu = TeacherMenu(states, "", chosen.append, lambda: chosen.append("file"), None)
    qtbot.addWidget(menu)
    names = [name for name in entries(menu) if name.startswith("teacher.run-")]
    assert names == ["teacher.run-0001:best", "teacher.run-0001:last"]
    inner = menu.actions()[0].menu()
    assert isinstance(inner, QMenu)
    inner.actions()[1].trigger()
    assert chosen == ["run-0001:last"]


def test_that_what_is_chosen_is_ticked_and_can_be_taken_back(qtbot, states):
    chosen: list[str] = []
    menu = TeacherMenu(states, "run-0001", chosen.append, lambda: None, None)
    qtbot.addWidget(menu)
    inner = menu.actions()[0].menu()
    assert isinstance(inner, QMenu)
    assert [action.isChecked() for action in inner.actions()] == [True, False]
    (none,) = [each for each in menu.actions() if each.objectName() == "teacher.none"]
    none.trigger()
    assert chosen == [""]
