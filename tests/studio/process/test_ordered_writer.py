"""What the user must not lose is written off Qt's thread, in order, and closing waits for it."""

import threading
import time

import pytest

from engine.diagnostics import Diagnostic
from engine.files import FileWriteError
from engine.graph.edit.edits import AddNode
from engine.graph.model import Node
from engine.project import recovery
from engine.project.project import Project
from studio.process.ordered_writer import OrderedWriter
from studio.process.settings import SettingsStore
from studio.process.thread_handover import ThreadHandover

SLOW_S = 0.05


@pytest.fixture
def slow_disk(monkeypatch) -> list[str]:
    """Let files take their time; return the names of the threads that wrote them."""
    threads: list[str] = []
    write = recovery.atomic_write

    def write_slowly(path, content, **options):
        threads.append(threading.current_thread().name)
        time.sleep(SLOW_S)
        return write(path, content, **options)

    for module in ("engine.project.recovery", "studio.process.settings"):
        monkeypatch.setattr(f"{module}.atomic_write", write_slowly)
    return threads


def edit(studio, name: str) -> None:
    studio.session.edit(AddNode(node=Node(id=name, type="ReLU", name=name)), "add")


def test_that_all_is_written_in_order_before_the_writer_is_closed(qapp):
    handover = ThreadHandover()
    writer, written = OrderedWriter(handover), []
    for number in range(5):
        writer.run(lambda n=number: (time.sleep(0.01), written.append(n)))
    writer.wait()
    assert written == [0, 1, 2, 3, 4]
    writer.run(lambda: (time.sleep(SLOW_S), written.append(5)))
    writer.close()
    assert written[-1] == 5
    handover.close()


def test_that_typing_waits_neither_for_unsaved_work_nor_for_settings(opened, slow_disk):
    edit(opened, "a")
    opened.bench.project.autosave()
    opened.settings.change(snap=False)
    opened.writer.wait()
    assert opened.session.project.recoveries()[0].graph == opened.session.graph
    assert not SettingsStore(opened.settings.folder).value.snap
    assert slow_disk
    assert all(name.startswith("writer") for name in slow_disk)


@pytest.mark.fault("F25")
def test_that_what_is_saved_or_discarded_leaves_no_unsaved_work_behind(opened, slow_disk):
    kept = opened.session.project.state_folder / "autosave.json"
    edit(opened, "a")
    opened.bench.project.autosave()
    assert opened.bench.project.save()
    opened.writer.wait()
    assert not kept.exists()
    edit(opened, "b")
    opened.bench.project.autosave()
    opened.bench.project.leave_then(lambda: None)
    opened.window.findChild(object, "question.unsaved.discard").click()
    opened.writer.wait()
    assert not kept.exists()


@pytest.mark.fault("F05")
def test_that_a_disk_that_takes_nothing_is_told_once_until_it_does_again(
    opened, qtbot, monkeypatch
):
    told: list[str] = []
    monkeypatch.setattr(opened.notifications, "tell", lambda text, *_, **__: told.append(text))

    def refuse(path, _):
        raise FileWriteError(Diagnostic(code="P002", params={"file": path.name, "folder": "here"}))

    controller = opened.bench.project
    with monkeypatch.context() as full:
        full.setattr("engine.project.recovery.atomic_write", refuse)
        for name in ("a", "b"):
            edit(opened, name)
            controller.autosave()
            opened.writer.wait()
        qtbot.waitUntil(lambda: controller.autosave_error != "")
        assert len(told) == 1
    assert opened.session.project.recoveries() == ()
    assert opened.session.is_modified
    controller.autosave()
    qtbot.waitUntil(lambda: controller.autosave_error == "")
    assert opened.session.project.recoveries()[0].graph == opened.session.graph
    assert len(told) == 1


@pytest.mark.fault("F17")
def test_that_the_end_waits_for_unsaved_work_and_for_the_last_settings(opened, slow_disk):
    edit(opened, "a")
    path = opened.session.project.path
    opened.keep_work()
    assert Project.open(path).recoveries()[0].graph == opened.session.graph
    opened.settings.change(autosave_s=77)
    opened.settings.note(splitters={"model.splitter": (1, 2)})
    opened.quit()
    kept = SettingsStore(opened.settings.folder).value
    assert (kept.autosave_s, kept.splitters) == (77, {"model.splitter": (1, 2)})
