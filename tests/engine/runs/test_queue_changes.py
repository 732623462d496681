"""Changes of the queue by several processes: one after the other, so that none is lost."""

import threading

import pytest
from msgspec.structs import replace

from engine.diagnostics import DiagnosticError
from engine.runs.process import file_lock
from engine.runs.process.file_lock import changing
from engine.runs.queue import RunQueue
from tests.tiny_run import PATIENCE_S, iris_graph, iris_spec


@pytest.fixture
def queue(tmp_path):
    queue = RunQueue(tmp_path / "queue")
    for name in ("a", "b", "c"):
        queue.add(tmp_path / "project", iris_graph(), iris_spec(), name)
    return queue


CHANGES = {
    "move": lambda queue, entry: queue.move(entry.id, -2),
    "update": lambda queue, entry: queue.update(entry),
    "take out": lambda queue, entry: queue.take_out(entry.id),
}


@pytest.mark.parametrize("kind", ["move", "update", "take out"])
def test_that_a_change_waits_for_the_one_before(queue, kind):
    first, _, last = queue.entries()
    thread = threading.Thread(target=CHANGES[kind], args=(queue, last))
    with changing(queue.folder):
        thread.start()
        thread.join(0.2)
        assert thread.is_alive()
        queue.write(replace(first, run="run-0007"))
    thread.join(PATIENCE_S)
    assert not thread.is_alive()
    runs = {entry.name: entry.run for entry in queue.entries()}
    assert runs["a"] == "run-0007"


def test_that_a_moved_entry_stands_before_those_that_wait(queue):
    first, _, last = queue.entries()
    queue.write(replace(first, run="run-0007"))
    queue.move(last.id, -1)
    assert [entry.name for entry in queue.entries()] == ["a", "c", "b"]


def test_that_a_change_that_goes_on_is_told(queue, monkeypatch):
    monkeypatch.setattr(file_lock, "_LONGEST_S", 0.05)
    with changing(queue.folder), pytest.raises(DiagnosticError) as caught:
        queue.move(queue.entries()[0].id, 1)
    (problem,) = caught.value.problems
    assert (problem.code, problem.params["folder"]) == ("D675", str(queue.folder))
    queue.move(queue.entries()[0].id, 1)  # afterwards it goes
