"""A confined process, and what it tries all the same."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.sandbox.confinement import describe

pytestmark = pytest.mark.real

ROOT = Path(__file__).parents[3]
PATIENCE_S = 240
HELD = describe()
START = """
import fcntl, os, socket, subprocess, sys
from pathlib import Path
from engine.sandbox import landlock, seccomp
from engine.sandbox.confinement import confine
place, port, victim, means = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
client, server = socket.socket(), socket.socket()
if means == "seccomp":
    landlock.abi = lambda: 0
if means == "landlock":
    seccomp.is_available = lambda: False
if means:
    allowed = [Path(one) for one in sys.argv[5:]]
    confine([], allowed, memory=1 << 30, seconds=60, file_size=1 << 20)
"""
ATTEMPTS = """
import json
for number, code in enumerate(json.load(sys.stdin)):
    place = Path(sys.argv[1]) / str(number)
    try:
        exec(code)
    except OSError as error:
        print("refused")
    else:
        print("done")
    sys.stdout.flush()
"""
WRITING = {
    "make a file": "(place / 'new').write_text('x')",
    "overwrite a file": "(place / 'kept').open('r+').write('x')",
    "empty a file": "os.truncate(place / 'kept', 0)",
    "remove a file": "(place / 'kept').unlink()",
    "rename a file": "(place / 'kept').rename(place / 'other')",
    "make a folder": "(place / 'folder').mkdir()",
    "remove a folder": "(place / 'empty').rmdir()",
    "write into its own memory": "open('/proc/self/mem', 'r+b').close()",
}
MARKING = {
    "open a file to everybody": "(place / 'kept').chmod(0o777)",
    "make a link": "(place / 'link').symlink_to('/')",
    "give a file a second name": "os.link(place / 'kept', place / 'second')",
    "change a time": "os.utime(place / 'kept', (1, 1))",
}
READING = {
    "read a key": "(place / 'kept').read_text()",
    "list a folder": "os.listdir(place)",
}
NETWORK = {
    "make a socket": "socket.socket().close()",
    "connect": "client.connect(('127.0.0.1', port))",
    "listen": "server.bind(('127.0.0.1', 0))",
}
PROCESSES = {
    "fork": "os.waitpid(os.fork() or os._exit(0), 0)",
    "start a program": "subprocess.run([sys.executable, '-c', ''], check=True)",
    "end a process": "os.kill(victim, 9)",
    "become a program": "os.execv(sys.executable, [sys.executable, '-c', 'print(\"done\")'])",
}
SIGNALS = {"have files send signals": "fcntl.fcntl(0, fcntl.F_SETOWN, victim)"}
MEMORY = {"keep memory that is not counted": "os.close(os.memfd_create('x'))"}
BY_FILTER = {**WRITING, **MARKING, **NETWORK, **SIGNALS, **MEMORY, **PROCESSES}
BY_LANDLOCK = {**WRITING, **READING, "become a program": PROCESSES["become a program"]}
BY_BOTH = {**READING, **BY_FILTER}  # to become a program comes last
MISSING = {
    "seccomp": None if HELD.seccomp else "this kernel filters no system calls (seccomp)",
    "landlock": None if HELD.landlock else "this kernel has no Landlock",
}
MISSING["both"] = MISSING["seccomp"] or MISSING["landlock"]


def furnish(place: Path) -> None:
    (place / "empty").mkdir(parents=True)
    (place / "kept").write_text("secret")


@pytest.fixture
def port() -> Iterator[int]:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        yield listening.getsockname()[1]


@pytest.fixture
def victim() -> Iterator[int]:
    """Give a process that waits for ever."""
    waiting = "import sys; sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", waiting], stdin=subprocess.PIPE) as process:
        yield process.pid
        process.kill()


def tried(code: str, *arguments: object, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", START + code, *map(str, arguments)],
        cwd=ROOT,
        input=given,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def outcomes(attempts: dict[str, str], home: Path, *arguments: object) -> dict[str, str]:
    """Return what became of attempts that one process made, each in a folder of its own."""
    for number in range(len(attempts)):
        furnish(home / str(number))
    done = tried(ATTEMPTS, home, *arguments, given=json.dumps(list(attempts.values())))
    assert done.returncode == 0, done.stderr
    return dict(zip(attempts, done.stdout.split(), strict=True))


def words(done: subprocess.CompletedProcess[str]) -> list[str]:
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.skipif(sys.platform != "linux", reason="the attempts are those of Linux")
def test_that_every_attempt_succeeds_where_nothing_is_confined(tmp_path, port, victim):
    found = outcomes(BY_BOTH, tmp_path, port, victim, "")
    assert found == dict.fromkeys(BY_BOTH, "done")


@pytest.mark.parametrize(
    ("means", "attempts"),
    [("both", BY_BOTH), ("seccomp", BY_FILTER), ("landlock", BY_LANDLOCK)],
)
def test_that_a_confined_process_is_refused(means, attempts, tmp_path, port, victim):
    if MISSING[means]:
        pytest.skip(MISSING[means])
    found = outcomes(attempts, tmp_path, port, victim, means)
    assert found == dict.fromkeys(attempts, "refused")
    for place in tmp_path.iterdir():
        assert sorted(one.name for one in place.iterdir()) == ["empty", "kept"]
        assert (place / "kept").read_text() == "secret"
    os.kill(victim, 0)


@pytest.mark.skipif(bool(MISSING["both"]), reason=str(MISSING["both"]))
def test_that_a_folder_to_write_to_opens_no_other(tmp_path):
    target = tmp_path / "target"
    furnish(target)
    inside = {
        "make": f"Path({str(target)!r}, 'answer').write_text('x')",
        "rename": f"Path({str(target)!r}, 'answer').rename({str(target / 'other')!r})",
        "remove": f"Path({str(target)!r}, 'kept').unlink()",
    }
    outside = {**WRITING, **READING, **MARKING}
    found = outcomes({**inside, **outside}, tmp_path / "home", 0, 0, "both", target)
    assert found == {**dict.fromkeys(inside, "done"), **dict.fromkeys(outside, "refused")}
    assert sorted(one.name for one in target.iterdir()) == ["empty", "other"]


@pytest.mark.skipif(sys.platform != "linux", reason="the attempt is that of Linux")
def test_that_a_confined_process_cannot_take_all_memory(tmp_path):
    code = """
import mmap
NO_RESERVE = 0x4000  # so much as no machine has
len(bytearray(1 << 29))  # half of what it may have
try:
    mmap.mmap(-1, 100 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NO_RESERVE)
except OSError:
    print("refused")
"""
    assert words(tried(code, tmp_path, 0, 0, "both")) == ["refused"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals tell it, which Windows has not")
def test_that_a_confined_process_cannot_compute_for_ever(tmp_path):
    code = "confine([], memory=1 << 30, seconds=1, file_size=0)\nwhile True: pass"
    done = tried(code, tmp_path, 0, 0, "")
    assert -done.returncode in {signal.SIGXCPU, signal.SIGKILL}, done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_that_a_confined_process_writes_no_file_larger_than_its_limit(tmp_path):
    target = tmp_path / "answer"
    target.mkdir()
    code = """
try:
    (allowed[0] / "x").write_bytes(bytes(2 << 20))
except OSError:
    print("refused")
"""
    assert words(tried(code, tmp_path, 0, 0, "both", target)) == ["refused"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
@pytest.mark.skipif(not HELD.seccomp, reason="this kernel filters no system calls (seccomp)")
def test_that_a_confined_process_cannot_raise_its_limits(tmp_path):
    code = """
import resource
try:
    resource.setrlimit(resource.RLIMIT_DATA, (1 << 20, resource.getrlimit(resource.RLIMIT_DATA)[1]))
except (OSError, ValueError):
    print("refused")
"""
    assert words(tried(code, tmp_path, 0, 0, "both")) == ["refused"]


def test_that_a_confined_process_still_imports_starts_threads_and_ends_itself(tmp_path):
    code = """
import threading, wave, zipfile
ran = []
threads = [threading.Thread(target=ran.append, args=(one,)) for one in range(4)]
[thread.start() for thread in threads], [thread.join() for thread in threads]
os.kill(os.getpid(), 0)
Path(os.devnull).read_bytes(), os.urandom(8)
print(*sorted(ran))
"""
    done = tried(code, tmp_path, 0, 0, "both")
    assert done.stdout.split() == ["0", "1", "2", "3"], done.stderr


@pytest.mark.skipif(not HELD.landlock, reason="this kernel has no Landlock")
def test_that_a_process_with_threads_is_refused_where_they_would_keep_their_rights(tmp_path):
    code = """
import threading
landlock._PATIENCE_S = 0.2
over = threading.Event()
thread = threading.Thread(target=over.wait)
thread.start()
for version in (1, 7):
    try:
        landlock.require_alone(version)
    except OSError:
        print("refused", version)
landlock.require_alone(8)
over.set()
thread.join()
landlock.require_alone(1)
print("alone")
"""
    done = tried(code, tmp_path, 0, 0, "")
    assert done.stdout.split() == ["refused", "1", "refused", "7", "alone"], done.stderr


def test_that_a_machine_without_landlock_and_filters_is_told_so(tmp_path):
    code = """
landlock.abi, seccomp.is_available = lambda: 0, lambda: False
held = confine([], memory=1 << 30, seconds=60, file_size=0)
print(held.landlock, held.seccomp, held.reading, held.network, held.time)
"""
    done = tried(code, tmp_path, 0, 0, "")
    assert done.stdout.split() == ["0", "False", "False", "False", "True"], done.stderr


@pytest.mark.skipif(not HELD.writing, reason="this kernel has neither Landlock nor filters")
def test_that_pytorch_computes_in_a_confined_process_and_maps_no_file_to_write(tmp_path):
    place = tmp_path / "home"
    furnish(place)
    code = f"""
import torch
confine([], memory=4 << 30, seconds=120, file_size=0)
torch.set_num_threads(2)
numbers = torch.ones(600, 600)
print(int((numbers @ numbers)[0, 0]))
try:
    torch.ops.aten.from_file({str(place / "kept")!r}, True, 6, dtype=torch.uint8).fill_(65)
except RuntimeError:
    print("refused")
"""
    done = tried(code, place, 0, 0, "")
    assert done.stdout.split() == ["600", "refused"], done.stderr
    assert (place / "kept").read_text() == "secret"
