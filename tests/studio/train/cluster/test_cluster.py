"""A run for several machines, and the light that tells whether its processes are equal."""

import subprocess

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSpinBox,
    QTabWidget,
    QTreeWidget,
)

from engine.events import RanksCompared, RankShare, RunStarted
from engine.runs.folder import RunFolder, find_run
from engine.runs.machine.cluster import Cluster
from engine.runs.machine.rendezvous_key import read_key
from engine.runs.machine.tunnel import SERVER_SETTING
from engine.runs.record.journal import RunJournal
from engine.spec.run import DataSpec, RunSpec
from studio.train.cluster.presenter import present_cluster
from studio.view.run import kind_of, series_label
from tests.each import for_each


def part(studio, kind, name):
    return studio.window.findChild(kind, f"dialog.cluster.{name}")


@pytest.fixture
def dialog(opened, qtbot):
    opened.bench.actions.action("action.run.machines").trigger()
    qtbot.waitUntil(lambda: part(opened, QPushButton, "make") is not None)
    yield opened
    part(opened, QPushButton, "close").click()


@pytest.mark.row("P24")
@pytest.mark.row("S274")
@pytest.mark.row("S275")
@pytest.mark.row("S277")
def test_that_machines_and_processes_give_ranks_and_a_command(dialog):
    part(dialog, QSpinBox, "nnodes").setValue(2)
    part(dialog, QSpinBox, "nproc").setValue(4)
    ranks = part(dialog, QTreeWidget, "ranks")
    assert ranks.topLevelItemCount() == 8
    assert [ranks.topLevelItem(5).text(column) for column in range(3)] == ["5", "1", "1"]
    assert "WORLD_SIZE=8" in part(dialog, QPlainTextEdit, "environment").toPlainText()
    part(dialog, QPushButton, "copy").click()
    command = QGuiApplication.clipboard().text()
    assert "--nnodes 2 --nproc-per-node 4" in command
    assert command == part(dialog, QPlainTextEdit, "command").toPlainText()


def test_that_ranks_share_batches_of_any_size_where_code_makes_them(tmp_path):
    cluster = Cluster(nnodes=1, nproc=2, host="machine-0", port=29511)
    views = [
        present_cluster(cluster, RunSpec(data=data), tmp_path, "", trusted=False)
        for data in (DataSpec(batch_size=7), DataSpec(batch_size=7, batch_sampler="own.Pairs"))
    ]
    assert [row[3] for row in views[0].ranks] == ["4", "3"]
    assert not any(character.isdigit() for row in views[1].ranks for character in row[3])
    assert "Pairs" in views[1].note
    assert "7" not in views[1].note


@pytest.mark.row("S287")
def test_that_fewer_machines_may_begin(dialog):
    part(dialog, QSpinBox, "nnodes").setValue(4)
    least = part(dialog, QSpinBox, "least")
    assert least.value() == 4
    least.setValue(2)
    assert "--nnodes 2:4 " in part(dialog, QPlainTextEdit, "command").toPlainText()
    assert "#SBATCH --nodes=2-4" in part(dialog, QPlainTextEdit, "script").toPlainText()
    part(dialog, QSpinBox, "nnodes").setValue(2)
    assert "--nnodes 2 " in part(dialog, QPlainTextEdit, "command").toPlainText()


def test_that_an_address_that_is_none_is_said_at_once(dialog):
    address = part(dialog, QLineEdit, "address")
    address.setText("nowhere")
    address.textEdited.emit("nowhere")
    assert "nowhere" in part(dialog, QLabel, "note").text()
    assert not part(dialog, QPushButton, "make").isEnabled()


def test_that_it_is_said_who_may_reach_the_machines(dialog):
    address, note = part(dialog, QLineEdit, "address"), part(dialog, QLabel, "note")
    for text, is_said in (("machine-0:29511", True), ("127.0.0.1:29511", False)):
        address.setText(text)
        address.textEdited.emit(text)
        assert ("29511" in note.text()) is is_said


def write(dialog, name, text):
    line = part(dialog, QLineEdit, name)
    line.setText(text)
    line.textEdited.emit(text)


def test_that_machines_are_connected_through_ssh_on_demand(dialog, qtbot):
    connection, tabs = part(dialog, QComboBox, "connection"), part(dialog, QTabWidget, "tabs")
    address, setup = part(dialog, QLineEdit, "address"), part(dialog, QPlainTextEdit, "tunnels")
    write(dialog, "address", "10.0.0.5:29511")
    assert not part(dialog, QLineEdit, "others").isVisible()
    connection.setCurrentIndex(1)
    assert part(dialog, QLineEdit, "others").isVisible()
    assert address.text() == "29511"
    assert not part(dialog, QPushButton, "make").isEnabled(), "nobody is named yet"
    write(dialog, "others", "anna@machine-1")
    assert tabs.currentWidget() is setup
    assert "anna@machine-1" in setup.toPlainText()
    assert SERVER_SETTING in setup.toPlainText()
    command = part(dialog, QPlainTextEdit, "command").toPlainText()
    meeting = command.partition("--rdzv-endpoint ")[2].split()[0]
    assert meeting.endswith(":29511")
    assert f"ip address add {meeting.partition(':')[0]} peer " in setup.toPlainText()
    assert meeting in part(dialog, QLabel, "note").text()
    qtbot.waitUntil(lambda: dialog.session.findings.is_checked)
    part(dialog, QPushButton, "make").click()
    text = part(dialog, QPlainTextEdit, "command")
    qtbot.waitUntil(lambda: "run-0001" in text.toPlainText())
    assert meeting in text.toPlainText()
    connection.setCurrentIndex(0)
    assert address.text() == "10.0.0.5:29511"
    assert "--rdzv-endpoint 10.0.0.5:29511 " in text.toPlainText()
    assert not tabs.isTabVisible(tabs.indexOf(setup))


@pytest.mark.real
def test_that_lines_for_a_shell_are_nothing_else(dialog):
    part(dialog, QSpinBox, "nnodes").setValue(3)
    part(dialog, QComboBox, "connection").setCurrentIndex(1)
    write(dialog, "others", "anna@machine-1 bert@machine-2:2222")
    text = part(dialog, QPlainTextEdit, "tunnels").toPlainText()
    subprocess.run(["bash", "-n", "-c", text], check=True)
    told = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert {line.split()[0] for line in told} == {"ip", "sysctl", "ssh"}


@for_each("text", ["machine-1", "anna@machine-1; id", "anna@-oProxyCommand=id", "anna@a anna@b"])
def test_that_what_is_no_machine_to_connect_is_said_and_makes_no_run(dialog, text):
    part(dialog, QComboBox, "connection").setCurrentIndex(1)
    write(dialog, "others", text)
    assert part(dialog, QLabel, "note").property("role") == "error"
    assert not part(dialog, QPushButton, "make").isEnabled()
    assert part(dialog, QPlainTextEdit, "tunnels").toPlainText() == ""


@pytest.mark.row("S278")
def test_that_the_run_is_made_and_waits_without_keeping_others_from_starting(dialog, qtbot):
    qtbot.waitUntil(lambda: dialog.session.findings.is_checked)
    part(dialog, QPushButton, "make").click()
    command = part(dialog, QPlainTextEdit, "command")
    qtbot.waitUntil(lambda: "run-0001" in command.toPlainText())
    run = find_run(dialog.session.project.path, "latest")
    assert str(run.path) in command.toPlainText()
    assert read_key(run.path).hex() not in command.toPlainText()
    assert (run.document.spec.mode, run.document.spec.processes.nnodes) == ("ddp", 2)
    dialog.services.runs.follow(run)
    qtbot.waitUntil(lambda: dialog.session.run is not None)
    assert not dialog.services.runs.is_running
    assert dialog.services.runs.can_start


def record(run: RunFolder, *checksums: int) -> None:
    shares = tuple(
        RankShare(checksum=value, loss=0.5, samples_per_s=100.0, waited_ms=2.0)
        for value in checksums
    )
    journal = RunJournal(run.path)
    journal.append(
        RunStarted(
            pid=1, device="cpu", threads=1, epochs=2, steps_per_epoch=4, parameters=9, step=0
        )
    )
    journal.append(RanksCompared(step=50, ranks=shares))
    journal.close()


@pytest.mark.row("N21")
@pytest.mark.parametrize(
    ("checksums", "sign", "word"), [((7, 7), "●", "equal"), ((7, 8), "▲", "differ")]
)
def test_that_the_light_tells_whether_the_weights_are_equal(opened, qtbot, checksums, sign, word):
    run = RunFolder.create(opened.session.project.path, opened.session.graph, opened.session.spec)
    record(run, *checksums)
    opened.window.show_workspace("train")
    opened.services.runs.follow(run)
    light = opened.window.findChild(QLabel, "train.ranks.light")
    qtbot.waitUntil(lambda: light.text() == sign)
    assert word in opened.window.findChild(QLabel, "train.ranks.text").text()
    assert "rank 1" in opened.window.findChild(QLabel, "train.ranks.rows").text()


def test_that_the_loss_of_a_rank_is_drawn_with_the_losses():
    assert kind_of("train.loss.rank3") == "loss"
    assert series_label("train.loss.rank3") == "training loss of rank 3"
