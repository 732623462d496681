"""Files of torchvision's sets in their real formats, small, and a server for them."""

import bz2
import gzip
import hashlib
import io
import struct
import tarfile
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
from PIL import Image


def md5(content: bytes) -> str:
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


def pictures(count: int, side: int, channels: int = 0, seed: int = 0) -> np.ndarray:
    """Return bytes of shape (count, side, side) or (count, side, side, channels)."""
    shape = (count, side, side, channels) if channels else (count, side, side)
    return np.random.default_rng(seed).integers(0, 256, shape, np.uint8)


def idx(values: np.ndarray) -> bytes:
    """Return an array in MNIST's own format."""
    codes = {"uint8": 8, "int32": 12}
    head = bytes([0, 0, codes[str(values.dtype)], values.ndim])
    return (
        head
        + struct.pack(f">{values.ndim}I", *values.shape)
        + values.astype(values.dtype.newbyteorder(">")).tobytes()
    )


def packed_idx(values: np.ndarray) -> bytes:
    return gzip.compress(idx(values))


def python2_pickle(content: Mapping[str, object]) -> bytes:
    """Return a dictionary as Python 2 and NumPy 1 wrote it: CIFAR's own format."""
    parts = [b"\x80\x02}("]
    for key, value in content.items():
        parts += [_old_text(key), _old_value(value)]
    return b"".join(parts) + b"u."


def _old_value(value: object) -> bytes:
    if isinstance(value, np.ndarray):
        shape = b"(" + b"".join(_old_number(size) for size in value.shape) + b"t"
        dtype = b"cnumpy\ndtype\n(U\x02u1K\x00K\x01tR(K\x03U\x01|NNN"
        dtype += 2 * b"J\xff\xff\xff\xff" + b"K\x00tb"
        maker = b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(K\x00tU\x01btR"
        return maker + b"(K\x01" + shape + dtype + b"\x89" + _old_text(value.tobytes()) + b"tb"
    if isinstance(value, list):
        items = b"".join(map(_old_value, value))
        return b"](" + items + b"e"
    return _old_text(value) if isinstance(value, str) else _old_number(int(value))


def _old_number(value: int) -> bytes:
    return b"J" + struct.pack("<i", value)


def _old_text(text: str | bytes) -> bytes:
    data = text.encode() if isinstance(text, str) else text
    short = len(data) < 256
    return (b"U" + bytes([len(data)]) if short else b"T" + struct.pack("<i", len(data))) + data


def tar_gz(files: Mapping[str, bytes]) -> bytes:
    return gzip.compress(tar(files), 1)


def tar(files: Mapping[str, bytes]) -> bytes:
    room = io.BytesIO()
    with tarfile.open(fileobj=room, mode="w") as target:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            target.addfile(member, io.BytesIO(content))
    return room.getvalue()


def zip_of(files: Mapping[str, bytes]) -> bytes:
    room = io.BytesIO()
    with zipfile.ZipFile(room, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in files.items():
            target.writestr(name, content)
    return room.getvalue()


def jpeg(seed: int, side: int = 12) -> bytes:
    room = io.BytesIO()
    Image.fromarray(pictures(1, side, 3, seed)[0]).save(room, "JPEG")
    return room.getvalue()


def usps_lines(images: np.ndarray, labels: list[int]) -> bytes:
    """Return grey values from -1 to 1 and classes from 1 as lines of text, packed."""
    lines = []
    for image, label in zip(images.reshape(len(images), -1), labels, strict=True):
        cells = (f"{at}:{value / 127.5 - 1:.6f}" for at, value in enumerate(image, 1))
        lines.append(f"{label} " + " ".join(cells))
    return bz2.compress("\n".join(lines).encode())


Serve = Callable[[BaseHTTPRequestHandler, bytes], None]


class FileServer(ThreadingHTTPServer):
    """Serves files by path at 127.0.0.1; ``serve`` may be exchanged, ``asked`` tells the paths."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.serve: Serve = whole
        self.released = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"

    def put(self, name: str, content: bytes) -> tuple[str, str]:
        """Serve a file and return its address and MD5."""
        self.files[f"/{name}"] = content
        return self.url + name, md5(content)


def whole(request: BaseHTTPRequestHandler, content: bytes) -> None:
    """Answer as a web server does, parts of a file too."""
    asked = request.headers.get("Range", "")
    start = int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0
    if start >= len(content) > 0 and asked:
        request.send_error(416)
        return
    request.send_response(206 if asked else 200)
    request.send_header("Content-Length", str(len(content) - start))
    request.end_headers()
    request.wfile.write(content[start:])


def cut_at(size: int) -> Serve:
    """Return an answer that promises all and stops after so many bytes."""

    def serve(request: BaseHTTPRequestHandler, content: bytes) -> None:
        request.send_response(200)
        request.send_header("Content-Length", str(len(content)))
        request.end_headers()
        request.wfile.write(content[:size])

    return serve


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        server = self.server
        assert isinstance(server, FileServer)
        server.asked.append(self.path)
        if self.path in server.files:
            server.serve(self, server.files[self.path])
        else:
            self.send_error(404)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@contextmanager
def file_server() -> Iterator[FileServer]:
    """Serve on this machine alone."""
    server = FileServer()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield server
    finally:
        server.released.set()
        server.shutdown()
        server.server_close()
        thread.join()
