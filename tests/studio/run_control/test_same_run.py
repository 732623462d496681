"""The window and the command line train the same run, to the last bit."""

import shutil
from pathlib import Path

import pytest

from engine.project import Project
from engine.runs.folder import runs_of
from engine.runs.record.state import RunStatus
from tests.tiny_run import curves

ROOT = Path(__file__).parents[3]


@pytest.mark.real
@pytest.mark.row("N25", "P29")
@pytest.mark.timeout(300)  # two processes load torch, perhaps on a busy machine
def test_that_the_window_and_the_command_line_compute_the_same(
    studio, tmp_path, qtbot, plain_python
):
    first, second = tmp_path / "first", tmp_path / "second"
    Project.create(first, "spiral-mlp")
    studio.show(first)
    studio.start_background()
    for name, value in (("epochs", "2"), ("seed", "7"), ("device", "cpu"), ("threads", "1")):
        studio.services.editor.set(name, value)
    studio.bench.actions.action("action.file.save").trigger()
    shutil.copytree(first, second)
    qtbot.waitUntil(lambda: studio.session.findings.is_checked)
    studio.bench.update_actions()
    studio.bench.actions.action("action.run.start").trigger()
    qtbot.waitUntil(
        lambda: studio.session.run is not None and studio.session.run.state.status.is_over(),
        timeout=140_000,
    )
    assert studio.session.run.state.status is RunStatus.FINISHED
    command = ("main.py", "train", str(second), "--quiet")
    assert plain_python.run(*command, folder=ROOT, path=[ROOT]).returncode == 0
    by_window, by_command = (curves(runs_of(project)[0]) for project in (first, second))
    assert by_window["train.loss"][0]
    assert by_window == by_command
