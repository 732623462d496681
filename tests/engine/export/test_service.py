"""The program of a prediction service, asked without a socket."""

import asyncio
import base64
import io
import json
import shutil
import socket
import sys
import threading
import zipfile

import numpy as np
import pytest
from PIL import Image

from engine.export.service.write import PROGRAM
from tests.tiny_run import PATIENCE_S

MODEL = """
import time
from pathlib import Path
import torch

seen = []


def load_model():
    return torch.nn.Identity()


def inputs_of(sample):
    seen.append(sample)
    if "file" in sample:
        content = Path(sample["file"]).read_bytes()
        return [torch.tensor([[float(len(content))]])]
    if "text" in sample:
        return [torch.tensor([[float(len(sample["text"]))]])]
    if "cell" in sample:
        return [torch.tensor([[float(sample["cell"])]])]
    return [torch.as_tensor(sample["values"]).float().reshape(1, -1)]


def compute(model, inputs):
    if (inputs[0] == 666).any():
        raise RuntimeError("this one fails")
    if (inputs[0] == 777).any():
        time.sleep(1)
    return (inputs[0].sum(1), )


def answers_of(outputs, at=0):
    return {"sum": outputs[0][at].item()}
"""
NUMBERS = {"kind": "numbers", "is_strict": True, "columns": [], "picture": None}
FIELDS = {
    "values": {**NUMBERS, "shape": [2, -1]},
    "image": {
        **NUMBERS,
        "name": "values",
        "shape": [1, 4, 4],
        "picture": {"mode": "L", "size": [4, 4], "white": 16.0, "channels_last": False},
    },
    "file": {"kind": "array"},
    "text": {"kind": "text"},
    "cell": {"kind": "cell", "of": "number", "choices": []},
}
URL = "http://127.0.0.1:8000"


@pytest.fixture
def make(tmp_path, monkeypatch):
    """Return what asks a service that reads a field."""
    before = set(sys.modules)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    workers = []

    def call(name: str, *, seconds: float = 30.0, size: int = 1 << 20, waiting: int = 64):
        field = {"name": name, "is_file": name == "file", "is_required": True, **FIELDS[name]}
        about = {"title": "a model", "fields": [{**field, "schema": {"type": "string"}}]}
        shutil.copytree(PROGRAM, tmp_path, dirs_exist_ok=True)
        (tmp_path / "model.py").write_text(MODEL)
        (tmp_path / "service.json").write_text(json.dumps(about))
        import service
        import worker

        made = worker.Worker(about["fields"], waiting)
        workers.append(made)
        counts = worker.Counts()
        limits = {"bytes": size, "seconds": seconds}
        return Asked(service.make_app(made, counts, limits), counts)

    yield call
    for each in workers:
        each.close()
    for name in ("service", "worker", "inputs", "model"):
        if name not in before:
            sys.modules.pop(name, None)


class Asked:
    """Asks an application as a client does."""

    def __init__(self, app, counts):
        self.app, self.counts = app, counts

    def __call__(self, method, path, **options):
        (found,) = self.together((method, path, options))
        return found

    def together(self, *requests):
        import httpx

        async def ask():
            transport = httpx.ASGITransport(app=self.app)
            async with httpx.AsyncClient(transport=transport, base_url=URL) as client:
                asked = [client.request(verb, path, **options) for verb, path, options in requests]
                return await asyncio.gather(*asked)

        return asyncio.run(ask())


def sent(values):
    return {"json": {"values": values}}


def content_of(found):
    return json.loads(found.content)


def test_that_many_at_once_have_their_own_answers_and_one_that_fails_spares_the_others(make):
    ask = make("values")
    numbers = [666 if number == 7 else number for number in range(60)]
    found = ask.together(*(("POST", "/predict", sent([[number], [0]])) for number in numbers))
    for number, each in zip(numbers, found, strict=True):
        if number == 666:
            assert each.status_code == 422
            assert "this one fails" in content_of(each)["error"]
        else:
            assert content_of(each) == {"answer": {"sum": number}}
    several = ask("POST", "/predict", json={"samples": [{"values": [[n], [1]]} for n in range(3)]})
    assert content_of(several) == {"answers": [{"sum": 1.0}, {"sum": 2.0}, {"sum": 3.0}]}
    assert content_of(ask("GET", "/health"))["requests"] == 61


def npy(values) -> bytes:
    stream = io.BytesIO()
    np.save(stream, values)
    return stream.getvalue()


def huge_head() -> bytes:
    """Return an array whose head tells of more than it holds."""
    return npy(np.zeros((2, 3))).replace(b"(2, 3), }    ", b"(2, 90000), }")


def bomb() -> bytes:
    """Return an archive of half a megabyte that unpacks to 512 MB."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", bytes(1 << 29))
    return stream.getvalue()


JSON = {"content-type": "application/json"}
WRONG = {
    "no JSON": ("values", 400, "no_json", {"content": b"{", "headers": JSON}),
    "deep": ("values", 400, "no_json", {"content": b"[" * 200_000, "headers": JSON}),
    "a long number": ("values", 400, "no_json", {"content": b"9" * 9999, "headers": JSON}),
    "not finite": ("values", 400, "no_json", {"content": b'{"values": NaN}', "headers": JSON}),
    "no object": ("values", 422, "no_sample", {"json": [1]}),
    "no samples": ("values", 422, "no_samples", {"json": {"samples": []}}),
    "many samples": ("values", 413, "many_samples", {"json": {"samples": [{}] * 257}}),
    "nothing": ("values", 422, "missing", {"json": {}}),
    "unknown": ("values", 422, "unknown", {"json": {"values": [[1], [2]], "x": 1}}),
    "ragged": ("values", 422, "no_numbers", sent([[1], [2, 3]])),
    "words": ("values", 422, "no_numbers", sent([["a"], ["b"]])),
    "a shape": ("values", 422, "shape", sent([[1], [2], [3]])),
    "lists in lists": ("values", 422, "depth", sent(json.loads("[" * 90 + "1" + "]" * 90))),
    "an array with a false head": ("values", 422, "no_array", {"files": {"values": huge_head()}}),
    "objects": (
        "values",
        422,
        "no_array",
        {"files": {"values": npy(np.array([{}], dtype=object))}},
    ),
    "large": ("values", 413, "large", {"content": bytes((1 << 20) + 1), "headers": JSON}),
    "another type": ("values", 415, "content_type", {"content": b"x=1"}),
    "a text as form": (
        "values",
        415,
        "content_type",
        {"content": b"{}", "headers": {"content-type": "text/plain"}},
    ),
    "compressed": (
        "values",
        415,
        "encoded",
        {"content": b"{}", "headers": {**JSON, "content-encoding": "gzip"}},
    ),
    "a form of nothing": (
        "values",
        400,
        "no_form",
        {"content": b"x", "headers": {"content-type": "multipart/form-data"}},
    ),
    "no picture": ("image", 422, "no_picture", {"files": {"values": b"\x89PNG and no more"}}),
    "a path": ("file", 422, "no_base64", {"json": {"file": "/etc/passwd"}}),
    "a path in base64 alone": ("file", 422, "no_base64", {"json": {"file": "../../x.npy"}}),
    "a bomb": ("file", 413, "unpacks", {"files": {"file": bomb()}}),
    "no archive": ("file", 422, "no_array", {"files": {"file": b"PK\x03\x04 and no more"}}),
    "no UTF-8": ("text", 422, "no_utf8", {"files": {"text": b"\xff\xfe\xff"}}),
    "a long text": ("text", 413, "long_text", {"json": {"text": "x" * 1_000_001}}),
    "a cell of lists": ("cell", 422, "no_cell", {"json": {"cell": [1]}}),
}


@pytest.mark.parametrize("what", WRONG)
def test_that_what_cannot_be_used_is_refused_with_a_sentence(make, what):
    name, status, code, options = WRONG[what]
    ask = make(name)
    found = ask("POST", "/predict", **options)
    told = content_of(found)
    assert (found.status_code, told["code"]) == (status, code), told
    assert told["error"].endswith(".") or ": " in told["error"]
    assert "Traceback" not in told["error"]
    good = {"values": [[1], [2]], "image": [[[1] * 4] * 4]}
    if name in good:
        assert ask("POST", "/predict", **sent(good[name])).status_code == 200


def test_that_uploads_and_base64_are_read_alike_and_leave_no_files(make, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    ask = make("file")
    content = npy(np.zeros(3))
    uploaded = ask("POST", "/predict", files={"file": ("../../x.npy", content)})
    encoded = ask("POST", "/predict", json={"file": base64.b64encode(content).decode()})
    assert content_of(uploaded) == content_of(encoded) == {"answer": {"sum": len(content)}}
    from model import seen

    assert all(str(each["file"]).startswith(str(tmp_path / "service-")) for each in seen)
    assert not list(tmp_path.glob("service-*"))


def test_that_a_picture_becomes_the_numbers_of_the_data(make):
    ask = make("image")
    stream = io.BytesIO()
    Image.new("RGB", (9, 9), "white").save(stream, "PNG")
    found = ask("POST", "/predict", files={"values": ("x.png", stream.getvalue(), "image/png")})
    assert content_of(found)["answer"]["sum"] == pytest.approx(16 * 16)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "localhost:8000"}, 200),
        ({"host": "[::1]:8000"}, 200),
        ({"host": "evil.example"}, 421),
        ({"host": ""}, 421),
        ({"origin": URL}, 200),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1:9000"}, 403),
    ],
)
def test_that_no_other_site_may_ask(make, headers, status):
    found = make("values")("POST", "/predict", json={"values": [[1], [2]]}, headers=headers)
    assert found.status_code == status
    assert not any(name.startswith("access-control") for name in found.headers)
    assert found.headers["x-content-type-options"] == "nosniff"


def test_that_the_page_is_served_and_no_other_file(make):
    ask = make("values")
    page = ask("GET", "/")
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert "script-src 'self'" in page.headers["content-security-policy"]
    for path in ("/../service.json", "/service.py", "/%2e%2e/model.pt", "//etc/passwd", "/docs"):
        assert ask("GET", path).status_code == 404
    assert ask("GET", "/predict").status_code == 405


def test_that_a_model_that_takes_too_long_is_not_waited_for(make):
    ask = make("values", seconds=0.1, waiting=2)
    slow = ("POST", "/predict", sent([[777], [0]]))
    found = ask.together(*[slow] * 5)
    assert {content_of(each)["code"] for each in found} == {"slow_model", "busy"}
    assert {each.status_code for each in found} == {503}


def test_that_a_client_that_says_nothing_is_let_go(make, monkeypatch):
    ask = make("values")
    import service

    monkeypatch.setattr(service.PatientProtocol, "patience_s", 0.05)
    listening = service.opened_socket("127.0.0.1", 0)
    config = service.uvicorn.Config(ask.app, http=service.PatientProtocol, log_level="warning")
    server = service.uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    try:
        for said in (b"", b"POST /predict HT", b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n"):
            with socket.create_connection(listening.getsockname(), PATIENCE_S) as client:
                client.sendall(said)
                assert client.recv(1) == b""
    finally:
        server.should_exit = True
        thread.join()


def test_that_a_request_that_does_not_come_is_not_waited_for(make):
    async def trickle():
        yield b"{"
        await asyncio.sleep(30)

    found = make("values", seconds=0.1)("POST", "/predict", content=trickle(), headers=JSON)
    assert (found.status_code, content_of(found)["code"]) == (408, "slow_request")
