"""Program of a rank that says what it is, and a launcher of some: ``… launch``."""

import json
import os
import signal
import sys
import time
from pathlib import Path


def warm_up() -> None:
    """Leave a mark on what ranks are forked from."""
    sys.is_warm = True  # pyright: ignore[reportAttributeAccessIssue]


def _is_interrupted() -> bool:
    """Return whether Ctrl+C is an exception here; in the background a shell has it ignored."""
    return signal.getsignal(signal.SIGINT) is signal.default_int_handler


def _say(file: str, code: str) -> None:
    said = {
        "is_warm": hasattr(sys, "is_warm"),
        "arguments": sys.argv[1:],
        "pid": os.getpid(),
        "parent": os.getppid(),
        "leader": os.getsid(0),
        "rank": os.environ.get("RANK"),
        "interrupt": _is_interrupted(),
        "terminate": signal.getsignal(signal.SIGTERM) == signal.SIG_DFL,
        "files": len(list(Path("/proc/self/fd").iterdir())),
    }
    part = Path(f"{file}.part")
    part.write_text(json.dumps(said), encoding="utf-8")
    part.rename(file)
    if code == "wait":
        time.sleep(600)
    sys.exit(int(code))


def _launch(folder: str) -> None:
    import psutil
    from torch.distributed.elastic.multiprocessing.subprocess_handler import get_subprocess_handler

    from engine.runs.process.forking import run_module
    from engine.train.ranks.rank_fork import RankOrder, open_forks

    program = "tests.engine.train.ranks.forked_rank"
    forks = open_forks(program)
    if isinstance(forks, RankOrder):
        run_module(forks.command)
        return

    def begin(name: str, code: str, **more: str):
        arguments = ("-u", "-m", program, str(Path(folder, name)), code)
        given = {"RANK": "1", "TORCHELASTIC_RUN_ID": "x", **more}
        return get_subprocess_handler(sys.executable, arguments, given, "", "", 0).proc

    told = {
        "launcher": os.getpid(),
        "interrupt": _is_interrupted(),
        "first": begin("first", "7").wait(240),
    }
    waiting = begin("waiting", "wait")
    while not Path(folder, "waiting").exists():
        time.sleep(0.01)
    told["alive"] = waiting.poll()
    os.kill(waiting.pid, signal.SIGKILL)
    told["killed"] = waiting.wait(240)
    told["other"] = begin("other", "0", MALLOC_ARENA_MAX="2").wait(240)
    for child in psutil.Process().children():
        child.kill()
    told["spawned"] = begin("spawned", "0").wait(240)
    forks.close()
    told["left"] = len(psutil.Process().children())
    print(json.dumps(told))


if __name__ == "__main__":
    if sys.argv[1] == "launch":
        _launch(sys.argv[2])
    else:
        _say(*sys.argv[1:])
