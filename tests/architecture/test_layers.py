"""The layers of tests: who is in the second, and that the first starts no process."""

import multiprocessing
import os
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine.runs.process.forking import can_fork
from engine.runtime.job.fork_client import fork_server
from tests import layers
from tests.conftest import pytest_xdist_auto_num_workers
from tests.file_memory import ROOM_BYTES, holds_files
from tests.layers import (
    HERE,
    MARK,
    begin_with_long,
    forbid_processes,
    holds_layer,
    sort_into_layers,
)


class Item(SimpleNamespace):
    """A test that was collected, with its marks."""

    def add_marker(self, name: str) -> None:
        self.marks.add(name)

    def get_closest_marker(self, name: str) -> str | None:
        return name if name in self.marks else None


def item(path: str, *fixtures: str, marks: tuple[str, ...] = ()) -> Item:
    return Item(path=HERE / path, fixturenames=fixtures, marks=set(marks))


@pytest.fixture
def left_out() -> list[Item]:
    return []


@pytest.fixture
def sort(left_out):
    """Return what sorts tests, for a selection by marks."""

    def deselect(items: list[Item]) -> None:
        left_out.extend(items)

    def call(expression: str, *items: Item) -> list[Item]:
        hook = SimpleNamespace(pytest_deselected=deselect)
        chosen = list(items)
        option = SimpleNamespace(markexpr=expression)
        sort_into_layers(SimpleNamespace(hook=hook, option=option), chosen)
        return chosen

    return call


@pytest.mark.parametrize(
    ("path", "fixtures", "is_real"),
    [
        ("e2e/test_closing.py", (), True),
        ("faults/test_files_disk.py", (), True),
        ("engine/runtime/test_host.py", ("host",), True),
        ("engine/runtime/remote/test_ssh.py", ("server",), True),
        ("studio/app/test_window.py", ("opened", "studio", "host"), True),
        ("studio/session/test_trust.py", ("host", "qtbot"), False),
        ("widgets/test_faults.py", (), False),
    ],
)
def test_that_folder_and_fixtures_tell_the_layer(sort, path, fixtures, is_real):
    (test,) = sort("", item(path, *fixtures))
    assert ("real" in test.marks) is is_real


@pytest.mark.parametrize(
    ("expression", "is_run"),
    [("", False), ("real", False), ("not real", False), ("nightly", True), ("window", False)],
)
def test_that_nightly_tests_run_only_where_they_are_asked_for(sort, left_out, expression, is_run):
    test = item("e2e/test_closing.py", marks=("nightly",))
    assert sort(expression, test) == [test] * is_run
    assert left_out == [test] * (not is_run)


@pytest.fixture
def own_file(tmp_path, monkeypatch):
    """Return what writes a file of tests, by its place and text."""
    monkeypatch.setattr(layers, "HERE", tmp_path)

    def write(place: str, text: str = "") -> Path:
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    return write


@pytest.mark.parametrize(
    ("place", "text", "chosen"),
    [
        ("engine/test_a.py", "", {"", "not real"}),
        ("engine/test_a.py", f"pytestmark = pytest.{MARK}", {"", "real", "not real"}),
        ("studio/test_a.py", "", {"", "real", "not real"}),
        ("e2e/test_a.py", "", {"", "real"}),
        ("e2e/conftest.py", "", {"", "real", "not real"}),
    ],
)
def test_that_only_files_with_tests_of_a_layer_are_imported(own_file, place, text, chosen):
    path = own_file(place, text)
    assert {one for one in ("", "real", "not real") if holds_layer(path, one)} == chosen


def test_that_a_mark_that_nobody_would_find_is_told(own_file, sort):
    path = own_file("engine/test_a.py", "pytestmark = elsewhere")
    with pytest.raises(pytest.UsageError, match=r"engine/test_a\.py"):
        sort("", Item(path=path, fixturenames=(), marks={"real"}))


def test_that_each_process_begins_with_long_tests_and_all_are_there_once():
    long = [item(f"e2e/test_{number}.py", marks=("real",)) for number in range(4)]
    short = [item(f"studio/test_{number}.py", marks=("real",)) for number in range(5)]
    first = item("engine/train/test_loop.py")  # of the first layer
    items = [*short, first, *long]
    begin_with_long(items, 2)
    assert items == [*long[:2], *short[:3], *long[2:], *short[3:], first]


@pytest.mark.skipif(not hasattr(os, "ST_NOEXEC"), reason="Linux")
def test_that_files_of_tests_lie_in_memory_only_where_there_is_room(tmp_path, monkeypatch):
    room = SimpleNamespace(f_flag=0, f_bavail=ROOM_BYTES // 4096, f_frsize=4096)
    for changes, is_used in (
        ({}, True),
        ({"f_flag": os.ST_NOEXEC}, False),
        ({"f_bavail": 9}, False),
    ):
        found = SimpleNamespace(**{**vars(room), **changes})
        monkeypatch.setattr(os, "statvfs", lambda _, found=found: found, raising=False)
        assert holds_files(tmp_path) is is_used
    assert not holds_files(tmp_path / "none")


WHOLE, CHOSEN = pytest.Config.ArgsSource.TESTPATHS, pytest.Config.ArgsSource.ARGS


@pytest.mark.parametrize(
    ("marks", "source", "processes"),
    [("", WHOLE, 4), ("real", WHOLE, 4), ("not real", WHOLE, 2), ("real", CHOSEN, 0)],
)
def test_that_the_whole_suite_is_shared_and_the_waits_of_its_second_layer_are_filled(
    marks, source, processes, monkeypatch
):
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    config = SimpleNamespace(args_source=source, option=SimpleNamespace(markexpr=marks))
    assert pytest_xdist_auto_num_workers(config) == processes


STARTS = {
    "subprocess": lambda: subprocess.run([sys.executable, "-c", ""], check=False),
    "multiprocessing": lambda: multiprocessing.Process(target=print).start(),
    "fork": lambda: os.fork(),  # noqa: PLW0108 - replaced while a test runs
}


@pytest.mark.parametrize("start", STARTS.values(), ids=STARTS)
def test_that_the_first_layer_starts_no_process(start):
    with pytest.raises(pytest.fail.Exception, match=r"pytest\.mark\.real"):
        start()


def test_that_a_start_that_is_caught_and_one_in_a_thread_are_told(monkeypatch):
    said = []
    monkeypatch.setattr(threading, "excepthook", lambda told: said.append(told.exc_type))

    def start() -> None:
        try:
            subprocess.run([sys.executable, "-c", ""], check=False)
        except Exception:
            said.append("caught")

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    assert said == [pytest.fail.Exception]


@pytest.mark.real
def test_that_the_second_layer_starts_processes(monkeypatch):
    assert subprocess.run([sys.executable, "-c", ""], check=False).returncode == 0
    with monkeypatch.context() as patch:
        forbid_processes(patch)
        assert not fork_server.is_open
        with pytest.raises(pytest.fail.Exception):
            subprocess.run([sys.executable, "-c", ""], check=False)
    assert fork_server.is_open is can_fork()
    assert subprocess.run([sys.executable, "-c", ""], check=False).returncode == 0
