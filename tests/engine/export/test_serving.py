"""A run is served in a process of its own: asked by many, by broken ones, and by a real browser."""

import http.client
import json
import queue
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest

from engine.runtime import service
from engine.runtime.service import (
    Serve,
    ServiceFailed,
    ServiceJob,
    ServiceServed,
    ServiceStage,
    ServiceStarted,
)
from tests import browser
from tests.tiny_run import PATIENCE_S

pytestmark = pytest.mark.row("S309", "S313", "N40")

SAMPLE = [5.1, 3.5, 1.4, 0.2]


class Asked:
    """A service with what it has said."""

    def __init__(self, job: ServiceJob, messages: "queue.SimpleQueue") -> None:
        self.job, self.messages = job, messages

    def next(self, kind):
        """Return the next message of a kind."""
        while True:
            found = self.messages.get(timeout=PATIENCE_S)
            if isinstance(found, kind):
                return found
            assert not isinstance(found, ServiceFailed), found

    def predict(self, url: str, sample) -> dict:
        address = urlsplit(url)
        connection = http.client.HTTPConnection(address.hostname, address.port, PATIENCE_S)
        body = json.dumps({"features": sample})
        connection.request("POST", "/predict", body, {"Content-Type": "application/json"})
        answer = json.loads(connection.getresponse().read())
        connection.close()
        return answer


@pytest.fixture
def asked(trained):
    """Return a service that starts."""
    messages: queue.SimpleQueue = queue.SimpleQueue()
    job = ServiceJob(Serve(run_folder=str(trained.folder.path)), messages.put)
    job.start()
    yield Asked(job, messages)
    job.close()


@pytest.mark.real
def test_that_a_run_is_served_to_many_and_to_a_browser_until_it_is_ended(asked, tmp_path):
    assert asked.next(ServiceStage).stage == "load"
    url = asked.next(ServiceStarted).url
    address = urlsplit(url)
    assert address.hostname == "127.0.0.1"
    found = asked.predict(url, SAMPLE)["answer"]
    samples = [[number % 7 / 2, 3.5, 1.4, 0.2] for number in range(100)]
    with ThreadPoolExecutor(100) as pool:
        together = list(pool.map(lambda sample: asked.predict(url, sample), samples))
    for sample, answer in zip(samples[:7], together[:7], strict=True):
        alone, (given,) = asked.predict(url, sample)["answer"], answer["answer"].values()
        chances = next(iter(alone.values()))["chances"]
        assert given["chances"] == pytest.approx(chances, abs=1e-5)
    for said in (b"\0\xff\r\n\r\n", b"GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n"):
        with socket.create_connection((address.hostname, address.port), PATIENCE_S) as client:
            client.sendall(said)
            assert client.recv(1 << 16).split()[1] in (b"400", b"404")
    if browser.PROGRAM:
        assert seen_by_a_browser(url, tmp_path) == next(iter(found.values()))["class"]
    served = asked.next(ServiceServed)
    while served.requests < 108 or not served.failed:
        served = asked.next(ServiceServed)
    (process,) = [
        each for each in psutil.Process().children() if "service.py" in " ".join(each.cmdline())
    ]
    folder = Path(process.cmdline()[3]).parent
    listening = {each.laddr.ip for each in process.net_connections() if each.status == "LISTEN"}
    assert listening == {"127.0.0.1"}
    asked.job.close()
    assert not process.is_running()
    assert not folder.exists()


def seen_by_a_browser(url: str, folder: Path) -> str:
    """Return what a browser shows for the sample, after something that is none."""
    page = browser.Browser(folder)
    try:
        page.open(url)
        page.wait("document.querySelector('#fields textarea') !== null")
        fill = "document.querySelector('#fields textarea').value = {!r};"
        send = "document.getElementById('predict').click();"
        page.value(fill.format("<img src=x onerror=alert(1)>") + send)
        assert page.wait("document.getElementById('problem').textContent")
        page.value(fill.format(json.dumps(SAMPLE)) + send)
        best = page.wait("document.querySelector('.best')?.textContent")
        assert page.value("document.querySelectorAll('.bar').length") == 3
        assert page.value("document.getElementById('problem').textContent") == ""
        return best
    finally:
        page.close()


@pytest.mark.parametrize(
    ("changes", "code"),
    [({"host": "192.0.2.1"}, "X054"), ({}, "X054"), ({"missing": True}, "X058")],
)
def test_that_what_cannot_be_served_is_told_before_anything_is_exported(monkeypatch, changes, code):
    if changes.pop("missing", False):
        monkeypatch.setattr(service, "find_spec", lambda _name: None)
    messages: queue.SimpleQueue = queue.SimpleQueue()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        job = ServiceJob(Serve(run_folder="nowhere", port=port, **changes), messages.put)
        job.start()
        found = messages.get(timeout=PATIENCE_S)
        job.close()
    assert isinstance(found, ServiceFailed)
    assert [problem.code for problem in found.problems] == [code]
