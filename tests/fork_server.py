"""Workers that start at once, for tests: forked from a process that has torch loaded.

Reads launches as lines of JSON on standard input; for each it prints the number of the worker and,
when it has ended, its exit code (negative: the signal). Run it with one OpenMP thread: a fork of a
process with more would hang.
"""

import gc
import os
import sys

from engine.runs.process.launch import launch_from_line
from engine.train.worker import _work, warm_up


def serve() -> None:
    warm_up()
    gc.freeze()
    print("ready", flush=True)
    for line in iter(sys.stdin.buffer.readline, b""):
        pid = os.fork()
        if not pid:
            os.close(0)
            code = 1
            try:
                code = _work(launch_from_line(line))
            finally:
                os._exit(code)
        print(pid, flush=True)
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    serve()
