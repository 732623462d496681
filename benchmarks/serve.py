"""The prediction service beside a plain script of FastAPI: ``python -m benchmarks.serve``.

50 clients ask both for answers of the CNN of the digits, in turn in one run: each keeps its
connection and asks again when it was answered. Goals: the service is as fast as the script in the
median and at the 99th percentile.
"""

import argparse
import asyncio
import json
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
import zipfile
from pathlib import Path

import msgspec
import psutil

from engine.api import export
from engine.project import Project
from engine.runtime import start_run

PLAIN = """
import sys

import torch
import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel

from network import load_model

app = FastAPI()
model = load_model()
CLASSES = [str(number) for number in range(10)]


class Sample(BaseModel):
    image: list[list[list[float]]]


@app.post("/predict")
def predict(sample: Sample):
    with torch.inference_mode():
        chances = model(torch.tensor([sample.image])).softmax(1)[0]
    best = CLASSES[int(chances.argmax())]
    return {"class": best, "chances": dict(zip(CLASSES, chances.tolist()))}


uvicorn.run(app, port=int(sys.argv[1]), log_level="warning", access_log=False)
"""
SAMPLE = json.dumps(
    {"image": [[[(row * column) % 17 / 16 for column in range(8)] for row in range(8)]]}
)


def exported(folder: Path) -> Path:
    """Return the folder of the service of a CNN that was trained for an epoch."""
    project = Project.create(folder / "digits", "digits-cnn")
    spec = msgspec.structs.replace(project.spec, epochs=1, mode="thread", device="cpu")
    run = start_run(project.path, project.graph, spec, problems=())
    assert run.wait(600)
    export(run.folder.path, "service", folder / "service.zip", checkpoint="last")
    with zipfile.ZipFile(folder / "service.zip") as archive:
        archive.extractall(folder)
    (folder / "service" / "plain.py").write_text(PLAIN)
    return folder / "service"


def free_port() -> int:
    """Return a port that nobody uses."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]


def begun(folder: Path, *command: str) -> subprocess.Popen[bytes]:
    """Start a server."""
    return subprocess.Popen([sys.executable, *command], cwd=folder)


def wait_for(port: int) -> None:
    """Wait until a server answers."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/predict",
        SAMPLE.encode(),
        {"Content-Type": "application/json"},
    )
    for _ in range(600):
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                assert answer.status == 200
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError(f"no answer at port {port}")


async def asked(port: int, count: int, found: list[float]) -> None:
    """Ask so often on one connection, and note the milliseconds of each answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"POST /predict HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
    request = f"{head}Content-Length: {len(SAMPLE)}\r\n\r\n{SAMPLE}".encode()
    for _ in range(count):
        start = time.perf_counter()
        writer.write(request)
        told = await reader.readuntil(b"\r\n\r\n")
        assert told.startswith(b"HTTP/1.1 200"), told
        length = told.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
        await reader.readexactly(int(length))
        found.append(1000 * (time.perf_counter() - start))
    writer.close()
    await writer.wait_closed()


async def round_of(port: int, clients: int, count: int) -> tuple[float, float, float]:
    """Return median and 99th percentile in milliseconds, and answers a second."""
    found: list[float] = []
    start = time.perf_counter()
    await asyncio.gather(*(asked(port, count, found) for _ in range(clients)))
    rate = clients * count / (time.perf_counter() - start)
    return statistics.median(found), statistics.quantiles(found, n=100)[98], rate


def main() -> int:
    """Print both, and return 1 when the goal was missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--count", type=int, default=40, help="requests of a client in a round")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = exported(Path(made))
        ports = {"service": free_port(), "plain": free_port()}
        servers = [
            begun(folder, "service.py", "--port", str(ports["service"])),
            begun(folder, "plain.py", str(ports["plain"])),
        ]
        pids = {name: server.pid for name, server in zip(ports, servers, strict=True)}
        try:
            found = measured(ports, pids, options)
        finally:
            for server in servers:
                server.terminate()
                server.wait(30)
    return told(found)


def measured(
    ports: dict[str, int], pids: dict[str, int], options: argparse.Namespace
) -> dict[str, list[tuple[float, ...]]]:
    """Return the rounds of each, in turn; the first of each is not counted."""
    found: dict[str, list[tuple[float, ...]]] = {name: [] for name in ports}
    for port in ports.values():
        wait_for(port)
    for number in range(options.rounds + 1):
        for name, port in ports.items():
            before = processor_s(pids[name])
            values = asyncio.run(round_of(port, options.clients, options.count))
            taken = (processor_s(pids[name]) - before) / (options.clients * options.count)
            if number:
                found[name].append((*values, 1000 * taken))
                median, high, rate = values
                print(
                    f"{name:8} median {median:6.1f} ms  p99 {high:6.1f} ms  {rate:5.0f}/s  "
                    f"processor {1000 * taken:.2f} ms"
                )
    return found


def processor_s(pid: int) -> float:
    """Return the seconds of a processor that a process has taken."""
    times = psutil.Process(pid).cpu_times()
    return times.user + times.system


def told(found: dict[str, list[tuple[float, ...]]]) -> int:
    """Print the ratios of the medians of the rounds."""
    is_kept = True
    for place, what in {0: "median", 1: "p99", 3: "processor"}.items():
        ours, plain = (
            statistics.median(values[place] for values in found[name])
            for name in ("service", "plain")
        )
        is_kept = is_kept and (ours <= plain or what == "processor")
        print(f"{what}: service {ours:.1f} ms, plain {plain:.1f} ms, ratio {ours / plain:.2f}")
    print("goal: at most 1.00 in median and p99:", "kept" if is_kept else "missed")
    return 0 if is_kept else 1


if __name__ == "__main__":
    sys.exit(main())
