"""The process that imports one model: its code, if it has any, runs here and nowhere else. One that
reads a file of ``torch.export`` can reach no other file, no network and no other process.

Called with a folder that holds the request. What it is at and what came of it go to the standard
output, a line of JSON each. It ends, and takes the folder away, when its standard input ends: then
nobody waits for it any more. All that is slow to load is loaded after that is watched for.
"""

import os
import shutil
import sys
import threading
from pathlib import Path
from typing import IO

import msgspec

from engine.diagnostics import DiagnosticError
from engine.runtime.import_request import ImportFailed, ImportMessage


def _own_output() -> IO[bytes]:
    """Take the standard output away from everybody else in this process."""
    own = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return own


def _end_with_input(folder: Path) -> None:
    os.read(0, 1)
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


def main(arguments: list[str]) -> int:
    """Import and return the exit code."""
    folder = Path(arguments[0])
    output = _own_output()
    threading.Thread(target=_end_with_input, args=(folder,), daemon=True).start()

    def say(message: ImportMessage) -> None:
        output.write(msgspec.json.encode(message) + b"\n")
        output.flush()

    from engine.runtime.model_import import ModelImport

    try:
        work = ModelImport(folder, say)
        work.confine()
        work.run()
    except DiagnosticError as error:
        say(ImportFailed(problems=error.problems))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
