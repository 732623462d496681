"""The process that imports one model: its code, if it has any, runs here and nowhere else. One that
reads a file of ``torch.export`` can reach no other file, no network and no other process.

Called with a folder that holds the request. What it is at and what came of it go to the standard
output, a line of JSON each. It ends, and takes the folder away, when its standard input ends: then
nobody waits for it any more. All that is slow to load is loaded after that is watched for.
"""

import os
import select
import shutil
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import msgspec

from engine.diagnostics import DiagnosticError
from engine.runtime.importing.request import MOST_PROBLEMS, ImportFailed, ImportMessage


def _own_output() -> IO[bytes]:
    """Take the standard output away from everybody else in this process."""
    own = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return own


class _InputWatch:
    """Ends this process and takes a folder away when the standard input ends. Once the process is
    confined, no more than what is in the folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._thread = threading.Thread()
        self._start()

    @contextmanager
    def paused(self) -> Generator[None]:
        """Have no thread meanwhile: one from before would not be confined with the process. What
        ends in between is seen afterwards.
        """
        if sys.platform == "win32":  # nothing there is held by threads, nor waits for two pipes
            yield
            return
        os.close(self._lets_go)
        self._thread.join()
        yield
        self._start()

    def _start(self) -> None:
        waits, self._lets_go = os.pipe()
        self._thread = threading.Thread(target=self._wait, args=(waits,), daemon=True)
        self._thread.start()

    def _wait(self, lets_go: int) -> None:
        if sys.platform != "win32":
            is_let_go = lets_go in select.select([0, lets_go], [], [])[0]
            os.close(lets_go)
            if is_let_go:
                return
        os.read(0, 1)
        shutil.rmtree(self._folder, ignore_errors=True)
        os._exit(1)


def main(arguments: list[str]) -> int:
    """Import and return the exit code."""
    folder = Path(arguments[0])
    output = _own_output()
    watch = _InputWatch(folder)

    def say(message: ImportMessage) -> None:
        output.write(msgspec.json.encode(message) + b"\n")
        output.flush()

    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # NumPy would start threads while it is loaded
    from engine.runtime.importing.model_import import ModelImport

    try:
        work = ModelImport(folder, say)
        with watch.paused():
            work.confine()
        work.run()
    except DiagnosticError as error:
        say(ImportFailed(problems=error.problems[:MOST_PROBLEMS]))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
