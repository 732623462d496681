"""The page of the profiler: asked of the run, shown, and its trace saved."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

from engine.events import DebugStopped, ProfileSteps, ProfileTaken, RunStarted, Step
from engine.graph.profile_report import OperatorRow, ProfileReport, ProfileRow
from engine.runs.folder import CommandReader, RunFolder
from studio.inspect.profile.page import ProfilePage
from tests.studio.inspect.graph.test_autograd import tell


@pytest.fixture
def run(opened, monkeypatch) -> RunFolder:
    monkeypatch.setattr("studio.run_control.controller.RunController.is_running", True)
    session = opened.session
    made = RunFolder.create(session.project.path, session.graph, session.spec, "live")
    started = RunStarted(pid=1, device="cpu", threads=1, epochs=2, steps_per_epoch=3, parameters=5)
    tell(made, started)
    opened.services.runs.follow(made)
    return made


@pytest.fixture
def page(opened, run, qtbot) -> ProfilePage:
    opened.bench.actions.action("action.inspect.profile").trigger()
    found = opened.window.findChild(ProfilePage)
    qtbot.waitUntil(found.buttons["measure"].isEnabled)
    return found


def taken(run: RunFolder) -> ProfileTaken:
    names = [node.id for node in run.document.graph.nodes.values() if node.type == "Linear"]
    rows = [
        ProfileRow(place=name, name=name, forward_s=0.001, backward_s=0.002, flops=4_000_000)
        for name in names
    ]
    report = ProfileReport(
        steps=5,
        rows=(*rows, ProfileRow(place="", forward_s=0.003)),
        operators=(OperatorRow(name="aten::addmm", calls=3, self_s=0.001, total_s=0.002),),
        forward_s=0.004,
        between_s=0.25,
        forward_flops=12_000_000,
    )
    folder = run.artefacts / "profile"
    folder.mkdir(exist_ok=True)
    (folder / "1.json").write_bytes(b'{"traceEvents": []}')
    return ProfileTaken(step=7, report=report, file="profile/1.json")


@pytest.mark.row("N13", "P23", "S293")
def test_that_a_profile_is_asked_for_and_shown_with_bars_at_the_nodes(page, run, opened, qtbot):
    assert not page.buttons["save"].isEnabled()
    qtbot.mouseClick(page.buttons["measure"], Qt.MouseButton.LeftButton)
    assert ProfileSteps() in CommandReader(run.commands_path).poll()
    tell(run, taken(run))
    qtbot.waitUntil(lambda: page.table.model.rowCount() > 0)
    cells = page.table.model.table.rows[0].cells
    assert cells[1:3] == (1.0, 2.0)
    assert cells[4:] == (4_000_000, pytest.approx(4.0))
    assert "data loading and other 250 ms" in page.summary.text()
    assert page.operators.model.table.rows[0].cells[:2] == ("aten::addmm", 3)
    canvas = opened.bench.model_page.canvas
    page.on_canvas.setChecked(True)
    assert set(canvas.look.bars.values()) == {(1.0, "1 + 2 ms · 4.0M FLOPs")}
    page.on_canvas.setChecked(False)
    assert not canvas.look.bars


@pytest.mark.row("N13")
def test_that_a_run_that_waits_takes_the_steps_but_is_not_moved_inside_one(
    page, run, opened, qtbot, monkeypatch
):
    monkeypatch.setattr("studio.run_control.controller.RunController.is_paused", True)
    reader = CommandReader(run.commands_path)
    qtbot.mouseClick(page.buttons["measure"], Qt.MouseButton.LeftButton)
    assert list(reader.poll()) == [ProfileSteps(), Step(count=8)]
    tell(run, DebugStopped(step=3, phase="forward", reason="step"))
    qtbot.waitUntil(lambda: opened.session.run.state.stop is not None)
    qtbot.mouseClick(page.buttons["measure"], Qt.MouseButton.LeftButton)
    assert list(reader.poll()) == [ProfileSteps()]


@pytest.mark.row("N13", "P23")
def test_that_the_trace_is_saved_where_the_user_wants_it(page, run, qtbot, tmp_path: Path):
    tell(run, taken(run))
    qtbot.waitUntil(page.buttons["save"].isEnabled)
    qtbot.mouseClick(page.buttons["save"], Qt.MouseButton.LeftButton)
    dialog = page.window().findChild(QFileDialog, "dialog.save_trace")
    target = tmp_path / "trace.json"
    dialog.fileSelected.emit(str(target))
    qtbot.waitUntil(target.is_file)
    assert target.read_bytes() == b'{"traceEvents": []}'
    dialog.close()
