import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from pathlib import Path

import pytest

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.graph.model import Graph, Node
from engine.query.machine.request import GetCapabilities
from engine.query.model.request import Analyse, GetSource
from engine.runtime.host import client as client_module
from engine.runtime.host.client import HostClient
from engine.runtime.job.fork_client import fork_server

pytestmark = pytest.mark.real

HOST = Path(__file__).with_name("fake_host.py")
PATIENCE_S = 120


class Superseding(GetSource, frozen=True, kw_only=True, tag="GetSource"):
    supersedes = True


def asking(word: str, name: str = "n", *, newest_only: bool = False) -> GetSource:
    graph = Graph(nodes={"n": Node(id="n", type=word, name=name)})
    return Superseding(graph=graph) if newest_only else GetSource(graph=graph)


@pytest.fixture
def notices() -> list[Diagnostic]:
    return []


@pytest.fixture
def marker(tmp_path) -> Path:
    """Return the file that ends the wait of the host, and that it makes when it dies."""
    return tmp_path / "marker"


@pytest.fixture
def client(marker, notices, monkeypatch) -> Iterator[HostClient]:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[4]))
    command = (sys.executable, str(HOST), str(marker))
    made = HostClient(on_notice=notices.append, command=command)
    made.start()
    yield made
    made.close()


def problem_of(future) -> Diagnostic:
    with pytest.raises(DiagnosticError) as error:
        future.result(PATIENCE_S)
    return error.value.problems[0]


def test_that_answers_come_to_their_questions(client):
    futures = [client.request(asking("fine", f"name{number}")) for number in range(50)]
    texts = [future.result(PATIENCE_S).text for future in futures]
    assert texts == [f"GetSource name{number}" for number in range(50)]


def test_that_it_tells_what_is_read_and_that_it_can_be_given_up(client):
    heard: queue.SimpleQueue = queue.SimpleQueue()
    client.on_reading = lambda request, progress: heard.put((request, progress))
    question = asking("read")
    future = client.request(question)
    request, progress = heard.get(timeout=PATIENCE_S)
    assert request == question
    assert (progress.path, progress.done) == ("folder", 7)
    client.give_up_reading(Analyse)  # something else
    client.give_up_reading()
    assert problem_of(future).code == "D073"
    assert heard.get(timeout=PATIENCE_S) == (question, None)
    assert client.request(asking("fine")).result(PATIENCE_S).text == "GetSource n"


def test_that_a_refusal_comes_as_the_diagnostics_of_the_host(client):
    assert problem_of(client.request(asking("refuse"))) == Diagnostic(code="G001", node="n")


def test_that_an_answer_of_the_wrong_kind_is_told_and_the_next_one_comes(client):
    assert problem_of(client.request(asking("nonsense"))).code == "E013"
    assert client.request(asking("fine")).result(PATIENCE_S).text == "GetSource n"


def test_that_a_newer_question_takes_the_place_of_those_that_wait(client, marker):
    slow = client.request(asking("wait", newest_only=True))
    while not slow.running():
        time.sleep(0.001)
    stale = [client.request(asking("fine", f"{i}", newest_only=True)) for i in range(5)]
    newest = client.request(asking("fine", "newest", newest_only=True))
    marker.touch()
    assert newest.result(PATIENCE_S).text == "GetSource newest"
    assert slow.result(PATIENCE_S).text == "GetSource n"  # was asked already
    assert all(future.cancelled() for future in stale)


def test_that_asking_does_not_wait(client, marker):
    slow = client.request(asking("wait"))
    client.request(asking("fine", "x" * 1_000_000))
    assert not slow.done()
    marker.touch()


def test_that_a_host_that_dies_is_started_again_and_asked_again(client, notices):
    assert client.request(asking("die once")).result(PATIENCE_S).text == "GetSource n"
    assert [notice.code for notice in notices] == ["E010"]
    assert "last words" in notices[0].detail
    assert "exit code 3" in notices[0].detail


def test_that_a_question_that_kills_twice_is_given_up_and_the_next_is_answered(client, notices):
    deadly = client.request(asking("die"))
    after = client.request(asking("fine"))
    assert problem_of(deadly).code == "E010"
    assert after.result(PATIENCE_S).text == "GetSource n"
    assert [notice.code for notice in notices] == ["E010", "E010"]


def test_that_a_question_of_a_command_that_kills_fails_at_once_and_tells_how(marker, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[4]))
    client = HostClient(command=(sys.executable, str(HOST), str(marker)), asks_again=False)
    client.start()
    try:
        problem = problem_of(client.request(asking("die once")))
        assert (problem.code, problem.params["exit"]) == ("D615", "3")
        assert client.request(asking("fine")).result(PATIENCE_S).text == "GetSource n"
    finally:
        client.close()


def test_that_a_host_that_never_answers_is_not_started_for_ever(client, notices):
    futures = [client.request(asking("die")) for _ in range(4)]
    codes = {problem_of(future).code for future in futures}
    assert codes == {"E010", "E011"}
    assert [notice.code for notice in notices] == ["E010", "E010", "E011"]
    assert problem_of(client.request(asking("fine"))).code == "E011"


def test_that_a_host_that_speaks_nonsense_is_replaced(client, notices):
    assert problem_of(client.request(asking("garbage"))).code == "E010"
    assert client.request(asking("fine")).result(PATIENCE_S).text == "GetSource n"


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_that_an_idle_host_that_is_killed_comes_back(client, notices):
    assert client.request(asking("fine")).result(PATIENCE_S)
    assert client.pid is not None
    os.kill(client.pid, signal.SIGKILL)
    assert client.request(asking("fine")).result(PATIENCE_S).text == "GetSource n"
    assert [notice.code for notice in notices] == ["E010"]


def test_that_closing_ends_the_host_and_cancels_what_waits(client):
    pid = client.pid
    assert pid is not None
    busy = client.request(asking("wait"))
    while not busy.running():
        time.sleep(0.001)
    waiting = client.request(asking("fine"))
    client.close()
    with pytest.raises(CancelledError):
        waiting.result(1)
    assert client.pid is None
    assert busy.done()
    with pytest.raises(DiagnosticError):
        client.request(asking("fine")).result(1)


def test_that_callbacks_do_not_run_on_the_asking_thread(client, marker):
    seen: list[threading.Thread] = []
    future = client.request(asking("wait"))
    future.add_done_callback(lambda _: seen.append(threading.current_thread()))
    marker.touch()
    future.result(PATIENCE_S)
    deadline = time.monotonic() + PATIENCE_S
    while not seen and time.monotonic() < deadline:
        time.sleep(0.01)
    assert seen[0] is not threading.current_thread()


@pytest.mark.timeout(400)
def test_that_a_host_that_nobody_asks_ends_and_the_next_question_finds_another(
    notices, monkeypatch
):
    monkeypatch.setattr(client_module, "_IDLE_S", 1.0)
    client = HostClient(on_notice=notices.append)
    client.start()
    if not fork_server.is_open:
        client.close()
        pytest.skip("processes are spawned here, and stay")
    devices = client.request(GetCapabilities()).result(PATIENCE_S).devices
    deadline = time.monotonic() + PATIENCE_S
    while client.pid is not None:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert client.request(GetCapabilities()).result(PATIENCE_S).devices == devices
    first = client.pid
    assert client.request(Analyse(graph=Graph())).result(PATIENCE_S) is not None
    assert client.pid != first, "one that has loaded what an analysis needs"
    client.close()
    assert notices == []


def test_that_a_host_that_cannot_be_started_is_told(tmp_path):
    client = HostClient(command=(str(tmp_path / "no-such-program"),))
    with pytest.raises(DiagnosticError) as error:
        client.start()
    assert error.value.problems[0].code == "E012"
    client.close()
