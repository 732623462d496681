"""The panel of devices and the suggestion of faster settings, clicked in the real window."""

import os

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QTreeWidget

from engine.diagnostics import Diagnostic
from engine.events import FreeCache, RunStarted
from engine.query.speed.request import SpeedDone, SpeedFailed, SpeedMeasured, SpeedTrial
from engine.runs.folder import CommandReader, RunFolder
from engine.runs.record.state import RunState, fold
from engine.runtime.telemetry import GpuLoad, MachineLoad
from studio.session.run_follower import RunUpdate
from studio.train.devices.controller import Telemetry
from studio.train.devices.presenter import free_help
from studio.train.speed.controller import SpeedController
from studio.view.run import kind_of
from tests.studio.fake_job import FakeJobs

GPUS = tuple(
    GpuLoad(index=i, name=f"Card {i}", memory_bytes=8 << 30, used_bytes=1 << 30, load=0.5)
    for i in range(2)
)
LOAD = MachineLoad(cores=(0.25, 0.75), memory_bytes=16 << 30, used_bytes=4 << 30)


def part(kind, opened, name):
    found = opened.window.findChild(kind, name)
    assert found is not None, name
    return found


def rows(opened, table):
    tree = part(QTreeWidget, opened, table)
    items = [tree.topLevelItem(index) for index in range(tree.topLevelItemCount())]
    return [[item.text(column) for column in range(item.columnCount())] for item in items]


def close(opened, qtbot, name):
    part(QPushButton, opened, f"dialog.{name}.close").click()
    qtbot.waitUntil(lambda: opened.window.findChild(QPushButton, f"dialog.{name}.close") is None)


@pytest.fixture
def machine(monkeypatch):
    """Play a machine with two GPUs, or what a test puts in their place."""
    found = [MachineLoad(**{**_fields(LOAD), "gpus": GPUS})]
    monkeypatch.setattr(Telemetry, "read", lambda _self: found[0])
    return found


def _fields(load):
    return {name: getattr(load, name) for name in load.__struct_fields__}


@pytest.mark.row("S248", "S249", "S252", "S350")
def test_that_gpus_are_listed_and_chosen_and_their_new_numbers_shown(opened, machine, qtbot):
    opened.bench.actions.action("action.run.devices").trigger()
    qtbot.waitUntil(lambda: len(rows(opened, "dialog.devices.table")) == 3)
    found = rows(opened, "dialog.devices.table")
    assert found[0][:3] == ["CPU", "2 cores", "50 %"]
    assert [row[5] for row in found[1:]] == ["cuda:0", "cuda:1"]
    first = part(QTreeWidget, opened, "dialog.devices.table").topLevelItem(1)
    first.setCheckState(0, Qt.CheckState.Unchecked)
    assert opened.session.spec.compute.gpus == "1"
    found = rows(opened, "dialog.devices.table")
    assert [row[5] for row in found[1:]] == ["not visible", "cuda:0"]
    opened.session.undo()
    assert opened.session.spec.compute.gpus == ""
    close(opened, qtbot, "devices")


@pytest.mark.row("S253")
def test_that_the_run_is_asked_to_free_its_cache_where_there_is_a_gpu(
    opened, machine, qtbot, monkeypatch
):
    known = opened.services.machine.capabilities
    monkeypatch.setattr(type(opened.services.machine), "capabilities", replace(known, has_mps=True))
    folder = RunFolder.create(
        opened.session.project.path, opened.session.graph, opened.session.spec, None
    )
    state = fold(
        RunState(),
        RunStarted(
            pid=os.getpid(), device="mps", threads=1, epochs=1, steps_per_epoch=1, parameters=1
        ),
    )
    opened.session.follow(RunUpdate(folder=folder, state=state, curves={}, starts=1))
    opened.bench.actions.action("action.run.devices").trigger()
    free = part(QPushButton, opened, "dialog.devices.free")
    qtbot.waitUntil(free.isEnabled)
    free.click()
    assert FreeCache() in CommandReader(folder.commands_path).poll()
    close(opened, qtbot, "devices")


def test_that_there_is_no_cache_to_free_without_a_gpu_or_a_run(opened, machine, qtbot):
    opened.bench.actions.action("action.run.devices").trigger()
    free = part(QPushButton, opened, "dialog.devices.free")
    qtbot.waitUntil(lambda: "no GPU" in free.toolTip())
    assert not free.isEnabled()
    known = replace(opened.services.machine.capabilities, has_mps=True)
    assert not free_help(known, is_running=False)[0]
    close(opened, qtbot, "devices")


def test_that_a_machine_without_a_driver_is_told_in_a_sentence(opened, machine, qtbot):
    machine[0] = MachineLoad(**{**_fields(LOAD), "problem": Diagnostic(code="E036")})
    opened.bench.actions.action("action.run.devices").trigger()
    qtbot.waitUntil(lambda: "driver" in part(QLabel, opened, "dialog.devices.note").text())
    assert len(rows(opened, "dialog.devices.table")) == 1
    close(opened, qtbot, "devices")


@pytest.mark.row("S260")
def test_that_the_scale_of_the_loss_is_drawn_beside_the_learning_rate(opened):
    page = opened.window.page("train")
    page.set_scale(np.arange(1.0, 4.0), np.array([65536.0, 32768.0, 32768.0]))
    assert page.scale_preview.isVisibleTo(page)
    page.set_scale(np.empty(0), np.empty(0))
    assert not page.scale_preview.isVisibleTo(page)
    assert kind_of("train.scale") == "scale"  # in no other chart


@pytest.fixture
def jobs():
    """Return the measurements that were started; the test says what they tell."""
    return FakeJobs()


@pytest.fixture
def job(jobs, opened, monkeypatch, qtbot):
    """Open the dialog and begin to measure."""
    opened.bench.actions.action("action.run.speed").trigger()
    for controller in opened.window.findChildren(SpeedController):
        monkeypatch.setattr(controller, "_make_job", jobs)
    qtbot.mouseClick(part(QPushButton, opened, "dialog.speed.start"), Qt.MouseButton.LeftButton)
    yield jobs.pop()
    if opened.window.findChild(QPushButton, "dialog.speed.close") is not None:
        close(opened, qtbot, "speed")


def note(opened):
    return part(QLabel, opened, "dialog.speed.note").text()


def test_that_what_helps_is_taken_over_as_one_step_of_undo(opened, job, qtbot):
    before = opened.session.spec
    assert job.request.spec == before
    job.tell(SpeedTrial(name="compute.precision", value="bfloat16", number=1, count=2))
    qtbot.waitUntil(lambda: "Precision: bfloat16" in note(opened))
    for name, value, is_kept in (
        ("compute.precision", "bfloat16", True),
        ("compute.channels_last", True, False),
        ("optimizer.fused", True, True),
    ):
        job.tell(
            SpeedMeasured(name=name, value=value, before_ms=2.0, after_ms=1.0, is_kept=is_kept)
        )
    job.tell(SpeedDone())
    apply = part(QPushButton, opened, "dialog.speed.apply")
    qtbot.waitUntil(apply.isEnabled)
    found = rows(opened, "dialog.speed.rows")
    assert found[0] == ["Precision: bfloat16", "2 ms", "1 ms", "2.00×", "same results"]
    qtbot.mouseClick(apply, Qt.MouseButton.LeftButton)
    spec = opened.session.spec
    assert (spec.compute.precision, spec.compute.channels_last) == ("bfloat16", False)
    assert spec.optimizer.params["fused"] is True
    opened.session.undo()
    assert opened.session.spec == before


def test_that_measuring_can_be_given_up_and_fails_in_a_sentence(opened, jobs, job, qtbot):
    qtbot.mouseClick(part(QPushButton, opened, "dialog.speed.cancel"), Qt.MouseButton.LeftButton)
    assert job.is_cancelled
    start = part(QPushButton, opened, "dialog.speed.start")
    assert start.isEnabled()
    qtbot.mouseClick(start, Qt.MouseButton.LeftButton)
    jobs.pop().tell(SpeedFailed(problems=(Diagnostic(code="R188"),)))
    qtbot.waitUntil(lambda: "could not be measured" in note(opened))
    assert not part(QPushButton, opened, "dialog.speed.apply").isEnabled()
