"""Prediction service: ``python service.py --help`` says more.

``POST /predict`` answers samples, ``/schema`` says what they are made of, ``/health`` how the
service is, and ``/`` is a page to try it. Requires only what ``requirements.txt`` names.
"""

import argparse
import asyncio
import ipaddress
import json
import os
import shutil
import signal
import socket
import sys
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

import uvicorn
from fastapi import FastAPI, Request, Response
from inputs import MOST_SAMPLES, Refused, decoded, samples_of
from starlette.formparsers import MultiPartException, MultiPartParser
from uvicorn.protocols.http.h11_impl import H11Protocol
from worker import Counts, Worker

FOLDER = Path(__file__).parent
ABOUT = json.loads((FOLDER / "service.json").read_text(encoding="utf-8"))
PAGE = {"/": ("page.html", "text/html"), "/page.js": ("page.js", "text/javascript")}
PAGE["/page.css"] = ("page.css", "text/css")
FIRST_PORT, PORTS = 8000, 100
HEAD_S = 15.0  # in which the head of a request has to come
MOST_CONNECTIONS = 512
SWITCH_S = 0.001  # for which one of the two threads, HTTP and model, lets the other wait
LARGE = 1 << 16  # bytes of JSON that are read beside other requests
HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
    (
        b"content-security-policy",
        (
            b"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
            b"img-src 'self' blob: data:; base-uri 'none'; form-action 'none'; "
            b"frame-ancestors 'none'"
        ),
    ),
]


def make_app(worker, counts, limits, hosts=()):
    """Return the application: ``worker`` answers, ``counts`` hears of each request, ``limits`` has
    ``bytes`` and ``seconds``, and ``hosts`` are further names that the service may be called by.
    """
    app = FastAPI(title=ABOUT["title"], docs_url=None, redoc_url=None)
    openapi = {"requestBody": {"required": True, "content": _contents()}}

    @app.post("/predict", openapi_extra=openapi, response_model=None)
    async def predict(request: Request) -> Response:
        given, is_list = await _given(request, limits)
        answers = await worker.answer(given, limits["seconds"])
        return _json(200, {"answers": answers} if is_list else {"answer": answers[0]})

    @app.get("/schema", response_model=None)
    async def schema() -> Response:
        return _json(200, {**ABOUT, "limits": limits, "request": _request_schema()})

    @app.get("/health", response_model=None)
    async def health() -> Response:
        told = {"requests": counts.requests, "failed": counts.failed, "waiting": worker.waiting}
        return _json(200, {"status": "ok", "model": ABOUT["title"], **told})

    for path, (name, kind) in PAGE.items():
        content = (FOLDER / name).read_bytes()
        _add_page(app, path, content, kind)

    @app.exception_handler(Refused)
    async def refused(_request: Request, error: Refused) -> Response:
        return _json(error.status, error.answer)

    return Guard(app, counts, hosts)


def _add_page(app, path, content, kind):
    @app.get(path, include_in_schema=False, response_model=None)
    async def page() -> Response:
        return Response(content, media_type=kind)


class Guard:
    """Stands before the application: it is called by a name of its own, by no page of a stranger,
    and each answer has the headers that keep it so.
    """

    def __init__(self, app, counts, hosts=()):
        self.app = app
        self._counts = counts
        self._hosts = {"localhost", *(host.lower() for host in hosts)}

    async def __call__(self, scope, receive, send):
        """Answer a request."""
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1000})
                return
            await self.app(scope, receive, send)
            return
        began, status = time.perf_counter(), 500

        async def guarded(message):
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), *HEADERS]
            await send(message)

        try:
            refusal = self._refusal(scope)
            if refusal is None:
                await self.app(scope, receive, guarded)
            else:
                await refusal(scope, receive, guarded)
        finally:
            client = scope.get("client") or ("",)
            self._counts.add(scope["path"][:100], status, began, client[0])

    def _refusal(self, scope):
        headers = {name: value for name, value in scope["headers"] if name in (b"host", b"origin")}
        host = headers.get(b"host", b"").decode("latin-1").lower()
        if not self._is_known(host):
            text = "The service is not called so. Use its address, or --allow-host NAME."
            return _json(421, {"error": text, "code": "host"})
        origin = headers.get(b"origin")
        if origin is not None and urlsplit(origin.decode("latin-1").lower()).netloc != host:
            text = "Pages of other sites may not use the service."
            return _json(403, {"error": text, "code": "origin"})
        return None

    def _is_known(self, host):
        """Return whether a host is an address, which no name of a stranger leads to, or is ours."""
        try:
            name = urlsplit(f"//{host}").hostname or ""
            if name in self._hosts:
                return True
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True


async def _given(request, limits):
    """Return the samples of a request and whether they came as a list. Raises ``Refused``."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in ("application/json", "multipart/form-data"):
        text = "Send application/json or multipart/form-data."
        raise Refused(415, "content_type", text)
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise Refused(415, "encoded", "Send the request without Content-Encoding.")
    try:
        async with asyncio.timeout(limits["seconds"]):
            body = await _body(request, limits["bytes"])
    except TimeoutError as error:
        text = f"The request did not come within {limits['seconds']:g} s."
        raise Refused(408, "slow_request", text, limit=limits["seconds"]) from error
    if kind == "application/json":
        content = await asyncio.to_thread(decoded, body) if len(body) > LARGE else decoded(body)
        return samples_of(content, ABOUT["fields"])
    return [await _form(request.headers, body)], False


async def _body(request, most):
    """Return the whole body, of so many bytes at most."""
    text = f"The request is too large: at most {most >> 20} MB."
    too_large = Refused(413, "large", text, limit=most >> 20)
    told = request.headers.get("content-length", "0")
    if told.isdecimal() and int(told) > most:
        raise too_large
    pieces, size = [], 0
    async for piece in request.stream():
        size += len(piece)
        if size > most:
            raise too_large
        pieces.append(piece)
    return b"".join(pieces)


async def _form(headers, body):
    """Return the fields of a form by name; files as bytes."""

    async def stream():
        yield body

    most = len(ABOUT["fields"]) + 8
    parser = MultiPartParser(
        headers, stream(), max_files=most, max_fields=most, max_part_size=max(len(body), 1)
    )
    try:
        form = await parser.parse()
    except (MultiPartException, KeyError, ValueError) as error:
        reason = getattr(error, "message", "") or str(error)
        raise Refused(
            400, "no_form", f"The form cannot be read: {reason}", reason=reason
        ) from error
    found = {}
    try:
        for name, value in form.multi_items():
            if name in found:
                raise Refused(422, "twice", f"“{name[:60]}” came twice.", name=name[:60])
            found[name] = value if isinstance(value, str) else await value.read()
    finally:
        await form.close()
    return found


def _json(status, content):
    text = json.dumps(_finite(content), ensure_ascii=False, allow_nan=False)
    return Response(text.encode(), status, media_type="application/json")


def _finite(value):
    """Return a value as JSON can hold it: numbers that are not finite become null."""
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    return [_finite(each) for each in value] if isinstance(value, list | tuple) else value


def _request_schema():
    """Return the JSON schema of a request: one sample, or a list of some."""
    fields = ABOUT["fields"]
    sample = {
        "type": "object",
        "properties": {field["name"]: field["schema"] for field in fields},
        "required": [field["name"] for field in fields if field["is_required"]],
        "additionalProperties": False,
    }
    some = {"type": "array", "items": sample, "minItems": 1, "maxItems": MOST_SAMPLES}
    listed = {"type": "object", "properties": {"samples": some}, "required": ["samples"]}
    return {"oneOf": [sample, listed]}


def _contents():
    files = {
        field["name"]: {"type": "string", "format": "binary"}
        if field["is_file"]
        else {"type": "string"}
        for field in ABOUT["fields"]
    }
    form = {"schema": {"type": "object", "properties": files}}
    return {"application/json": {"schema": _request_schema()}, "multipart/form-data": form}


class PatientProtocol(H11Protocol):
    """HTTP of a connection, which is closed where the head of a request does not come in time."""

    patience_s = HEAD_S

    def connection_made(self, transport):
        """Begin to look at it."""
        super().connection_made(transport)
        self._looked_at = None
        self._timer = self.loop.call_later(self.patience_s, self._look)

    def connection_lost(self, exc):
        """Look at it no more."""
        self._timer.cancel()
        super().connection_lost(exc)

    def _look(self):
        is_idle = self.cycle is None or self.cycle.response_complete
        if is_idle and self._looked_at is self.cycle:
            self.transport.close()
            return
        self._looked_at = self.cycle
        self._timer = self.loop.call_later(self.patience_s, self._look)


class Service(uvicorn.Server):
    """The server, which says where it is once it listens."""

    def __init__(self, config, tell, url):
        super().__init__(config)
        self._tell, self._url = tell, url

    async def startup(self, sockets=None):
        """Listen, and say so."""
        await super().startup(sockets)
        if self.started:
            self._tell({"kind": "started", "url": self._url})


def opened_socket(host, port):
    """Return a socket that is bound; without a port the first that is free from 8000 on. Raises
    ``OSError``.
    """
    ports = [port] if port else [*range(FIRST_PORT, FIRST_PORT + PORTS), 0]
    for number in ports:
        family = socket.getaddrinfo(host, number, type=socket.SOCK_STREAM)[0][0]
        found = socket.socket(family, socket.SOCK_STREAM)
        try:
            if os.name == "posix":
                found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            found.bind((host, number))
            found.listen(MOST_CONNECTIONS)
        except OSError:
            found.close()
            if number == ports[-1]:
                raise
        else:
            return found
    raise OSError("no port is free")


def main(arguments=None):
    """Serve the model until it is interrupted."""
    given = _options().parse_args(arguments)
    tell = _tell_messages if given.messages else _tell_people
    try:
        listening = opened_socket(given.host, given.port)
    except (OSError, OverflowError) as error:
        tell({"kind": "failed", "reason": "address", "text": str(error)})
        sys.exit(1)
    host, port = listening.getsockname()[:2]
    url = f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
    counts = Counts(tell if given.messages else None)
    worker = Worker(ABOUT["fields"])
    limits = {"bytes": given.max_mb << 20, "seconds": given.timeout}
    is_local = ipaddress.ip_address(host).is_loopback
    own = [given.host] if is_local else [given.host, socket.gethostname()]
    app = make_app(worker, counts, limits, [*own, *given.allow_host])
    config = uvicorn.Config(
        app,
        http=PatientProtocol,
        log_level="warning",
        access_log=False,
        server_header=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=5,
    )
    server = Service(config, tell, url)
    sys.setswitchinterval(SWITCH_S)
    if given.messages:
        threading.Thread(target=_end_with_input, args=(server,), daemon=True).start()
    try:
        server.run(sockets=[listening])
        counts.flush()
    except BrokenPipeError:
        sys.exit(1)  # whoever started it is gone
    finally:
        worker.close()
        if given.temporary:
            shutil.rmtree(FOLDER, ignore_errors=True)


def _options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at")
    parser.add_argument(
        "--port", type=int, default=0, help="port (default: the first free one from 8000)"
    )
    parser.add_argument("--max-mb", type=int, default=16, help="most megabytes of a request")
    parser.add_argument("--timeout", type=float, default=30.0, help="most seconds of a request")
    parser.add_argument(
        "--allow-host", action="append", default=[], help="name it may be called by (repeatable)"
    )
    parser.add_argument(
        "--messages",
        action="store_true",
        help="say what happens as lines of JSON, and end with the standard input",
    )
    parser.add_argument(
        "--temporary", action="store_true", help="remove the folder of the service at its end"
    )
    return parser


def _end_with_input(server):
    """End the service when whoever started it is gone."""
    while sys.stdin.buffer.read(1 << 16):
        pass
    server.should_exit = True


def _tell_messages(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def _tell_people(message):
    if message["kind"] == "started":
        print(f"{ABOUT['title']}: {message['url']} (Ctrl+C ends it)", flush=True)
    else:
        print(f"The address cannot be used: {message['text']}", file=sys.stderr)


if __name__ == "__main__":
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    main()
