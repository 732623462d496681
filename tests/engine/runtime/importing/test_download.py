"""Trained weights over the network: whole and what they should be, or a clear word."""

import hashlib
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import torch

from engine.diagnostics import DiagnosticError
from engine.runtime.importing import download
from engine.runtime.importing.request import Download

CONTENT = bytes(range(256)) * 2000
DIGEST = hashlib.sha256(CONTENT).hexdigest()[:8]

Serve = Callable[[BaseHTTPRequestHandler], None]


def _whole(request: BaseHTTPRequestHandler) -> None:
    request.send_response(200)
    request.send_header("Content-Length", str(len(CONTENT)))
    request.end_headers()
    request.wfile.write(CONTENT)


def _cut(request: BaseHTTPRequestHandler) -> None:
    request.send_response(200)
    request.send_header("Content-Length", str(len(CONTENT)))
    request.end_headers()
    request.wfile.write(CONTENT[:200_000])


def _missing(request: BaseHTTPRequestHandler) -> None:
    request.send_error(404)


def _other(request: BaseHTTPRequestHandler) -> None:
    request.send_response(200)
    request.end_headers()
    request.wfile.write(b"<html>Please log in</html>")


def _silent(request: BaseHTTPRequestHandler) -> None:
    request.send_response(200)
    request.send_header("Content-Length", str(len(CONTENT)))
    request.end_headers()
    request.wfile.write(CONTENT[:100_000])
    request.wfile.flush()
    request.server.released.wait(20)  # type: ignore[attr-defined]


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    """Serve, on this machine alone, what a test puts into ``serve``."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.server.asked.append(self.path)  # type: ignore[attr-defined]
            self.server.serve(self)  # type: ignore[attr-defined]

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    made = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.released, made.asked, made.serve = threading.Event(), [], _whole  # type: ignore[attr-defined]
    thread = threading.Thread(target=made.serve_forever, args=(0.02,))
    thread.start()
    yield made
    made.released.set()  # type: ignore[attr-defined]
    made.shutdown()
    made.server_close()
    thread.join()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(torch.hub, "_hub_dir", str(tmp_path / "hub"))
    monkeypatch.setattr(torch.hub, "tqdm", torch.hub.tqdm)  # put back after the test
    monkeypatch.setattr(download.socket, "setdefaulttimeout", lambda _: None)
    (tmp_path / "work").mkdir()
    return tmp_path / "hub" / "checkpoints"


def _wanted(server: ThreadingHTTPServer) -> Download:
    url = f"http://127.0.0.1:{server.server_port}/net-{DIGEST}.pth"
    return Download(name="V1", url=url, digest=DIGEST)


@pytest.mark.row("S118")
def test_that_weights_are_downloaded_once_and_told_as_they_come(
    server: ThreadingHTTPServer, cache: Path, tmp_path: Path
) -> None:
    told: list[tuple[int, int]] = []
    wanted = _wanted(server)
    file = download.fetch(wanted, tmp_path / "work", lambda *count: told.append(count))
    assert file.read_bytes() == CONTENT
    assert told[0] == (0, len(CONTENT))
    assert told[-1] == (len(CONTENT), len(CONTENT))
    assert len(told) > 3
    again = download.fetch(wanted, tmp_path / "work", lambda *_: None)
    assert again == cache / file.name
    assert len(server.asked) == 1  # type: ignore[attr-defined]


def test_that_a_damaged_file_in_the_cache_is_downloaded_again(
    server: ThreadingHTTPServer, cache: Path, tmp_path: Path
) -> None:
    wanted = _wanted(server)
    cache.mkdir(parents=True)
    kept = cache / wanted.url.rpartition("/")[2]
    kept.write_bytes(b"x" + CONTENT[1:])
    assert download.fetch(wanted, tmp_path / "work", lambda *_: None).read_bytes() == CONTENT
    assert kept.read_bytes() == CONTENT


@pytest.mark.parametrize(
    "case",
    [
        (_cut, "I042", "0.2 of 0.5 MB"),
        (_missing, "I041", "404"),
        (_other, "I043", "checksum"),
        (_silent, "I046", "stopped sending"),
    ],
    ids=lambda case: case[1],
)
def test_that_what_goes_wrong_is_told_and_leaves_nothing(
    server: ThreadingHTTPServer,
    cache: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    case: tuple[Serve, str, str],
) -> None:
    serve, code, words = case
    server.serve = serve  # type: ignore[attr-defined]
    if serve is _silent:
        _let_time_out(monkeypatch, 2.0)
    with pytest.raises(DiagnosticError) as caught:
        download.fetch(_wanted(server), tmp_path / "work", lambda *_: None)
    assert caught.value.problems[0].code == code
    assert words in str(caught.value)
    assert not list((tmp_path / "work").iterdir())
    assert not cache.exists()


def _let_time_out(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Let the downloader alone lose its patience, not every socket of this process."""
    real = torch.hub.urlopen
    monkeypatch.setattr(torch.hub, "urlopen", lambda request: real(request, timeout=seconds))


def test_that_without_a_network_a_local_file_is_recommended(
    server: ThreadingHTTPServer, cache: Path, tmp_path: Path
) -> None:
    wanted = _wanted(server)
    server.shutdown()
    server.server_close()
    with pytest.raises(DiagnosticError) as caught:
        download.fetch(wanted, tmp_path / "work", lambda *_: None)
    assert caught.value.problems[0].code == "I040"
    assert "local file" in str(caught.value)


@pytest.mark.fault("F05")
def test_that_a_full_disk_is_told_and_leaves_nothing(
    server: ThreadingHTTPServer, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(torch.hub, "READ_DATA_CHUNK", 1 << 16)
    monkeypatch.setattr(torch.hub.shutil, "move", full)
    with pytest.raises(DiagnosticError) as caught:
        download.fetch(_wanted(server), tmp_path / "work", lambda *_: None)
    assert caught.value.problems[0].code == "P002"
    assert not list((tmp_path / "work").iterdir())
