"""Reading many damaged files in one process.

    python -m tests.fuzz --count N --seed S READER [READER ...]

Prints a JSON line for each reader: how many cases, what was found, the slowest case (processor
seconds) and the
most memory (MB beyond that of the reader's real files). A finding is an exception that the program
does not handle there, a case of more than five seconds, memory beyond a gigabyte, or a file that
was written, a process started or a socket opened outside of the case's own folder.
"""

import argparse
import base64
import contextlib
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

from tests.fuzz.mutate import mutated
from tests.fuzz.reader import Reader
from tests.fuzz.readers import READERS

SECONDS = 5.0
MEMORY = 1 << 30
MOST_FINDINGS = 20
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGING = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.chmod")
_STARTING = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork")


class SlowError(BaseException):
    """A case took more than its share of the processor."""


class Guard:
    """Notes what a reader does outside of the folder of its case. An audit hook cannot be taken
    away again, so that it only looks while a case is read.
    """

    def __init__(self) -> None:
        self.inside: Path | None = None
        self.seen: list[str] = []
        sys.addaudithook(self._look)

    @contextlib.contextmanager
    def watching(self, folder: Path) -> Iterator[list[str]]:
        """Note what happens outside a folder, in the list that is given."""
        self.seen, self.inside = [], folder
        try:
            yield self.seen
        finally:
            self.inside = None

    def _look(self, event: str, arguments: tuple[Any, ...]) -> None:
        folder = self.inside
        if folder is None:
            return
        if event in _STARTING and not _is_sandbox(arguments):
            self.seen.append(f"{event} {arguments[:2]!r}"[:300])
        elif event in ("socket.bind", "socket.connect"):
            self.seen.append(f"{event} {arguments[1:]!r}"[:300])
        elif event == "open" and isinstance(arguments[2], int) and arguments[2] & _WRITING:
            self._place(event, arguments[0], folder)
        elif event in _CHANGING:
            for place in arguments[:2]:
                self._place(event, place, folder)

    def _place(self, event: str, place: object, folder: Path) -> None:
        if isinstance(place, str | bytes | os.PathLike):
            path = os.path.abspath(os.fsdecode(place))  # noqa: PTH100 - links are not followed
            if not path.startswith((str(folder), os.devnull)):
                self.seen.append(f"{event} {path}"[:300])


def _is_sandbox(arguments: tuple[Any, ...]) -> bool:
    """Return whether a process that is started is the confined one that reads for this one."""
    return str(Path("engine", "sandbox", "child.py")) in str(arguments[1])


def _too_slow(_: int, __: FrameType | None) -> None:
    raise SlowError


def read_case(reader: Reader, data: bytes, folder: Path, guard: Guard) -> tuple[str, float, object]:
    """Return what is wrong with how a damaged file is read (empty: nothing), how many seconds of
    the processor it took and what was read, None for a file that was refused.
    """
    path = folder / reader.file
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    wrong, result = "", None
    begun = time.process_time()
    with guard.watching(folder) as seen:
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            result = reader.read(path)
        except reader.expected:
            pass
        except SlowError:
            wrong = f"more than {SECONDS} s: {traceback.format_exc(limit=-3)}"
        except Exception:
            wrong = traceback.format_exc(limit=-6)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    taken = time.process_time() - begun
    shutil.rmtree(folder, ignore_errors=True)
    return wrong or "; ".join(seen), taken, result


def _memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def run(reader: Reader, count: int, seed: int, folder: Path, guard: Guard) -> dict[str, Any]:
    """Read ``count`` damaged files and return what was found."""
    (folder / "made").mkdir(exist_ok=True)
    made = reader.make(folder / "made")
    assert made, "no real file to damage"
    for number, data in enumerate(made):  # what is loaded once counts for no case
        wrong, _, result = read_case(reader, data, folder / f"real-{number}", guard)
        assert not wrong, wrong
        assert result, f"a real file of {reader.name} is not read"
    begun, slowest, findings = _memory(), 0.0, []
    for number in range(count):
        choice = random.Random(f"{reader.name}:{seed}:{number}")
        data = mutated(choice.choice(made), made, choice)
        before = _memory()
        wrong, taken, _ = read_case(reader, data, folder / "case", guard)
        slowest = max(slowest, taken)
        if not wrong and _memory() - before > MEMORY:
            wrong = f"{_memory() - before >> 20} MB"
        if wrong and len(findings) < MOST_FINDINGS:
            text = base64.b64encode(data).decode() if len(data) < 20_000 else ""
            findings.append({"number": number, "wrong": wrong, "data": text})
    return {
        "reader": reader.name,
        "cases": count,
        "findings": findings,
        "slowest_s": round(slowest, 3),
        "memory_mb": _memory() - begun >> 20,
    }


def main() -> int:
    """Run one reader and print what was found."""
    parser = argparse.ArgumentParser()
    parser.add_argument("readers", choices=READERS, nargs="+")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    signal.signal(signal.SIGPROF, _too_slow)
    sys.dont_write_bytecode = True  # of what a reader is the first to import
    guard, is_sound = Guard(), True
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        folder = Path(os.path.realpath(place))
        for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
            os.environ[name] = str(folder / "home")
        for name in options.readers:
            found = run(READERS[name], options.count, options.seed, folder, guard)
            is_sound = is_sound and not found["findings"]
            print(json.dumps(found), flush=True)
    return 0 if is_sound else 1


if __name__ == "__main__":
    code = main()
    os._exit(code)  # what a damaged file left in a library must not decide how this ends
