"""The process that carries out a search: ``python -m engine.runtime.search_worker FOLDER``.

Options: ``--trials N`` wants another number of trials, ``--commands-from N`` says where the
commands to it begin (bytes), ``--trusted`` lets the own code of the model run. SIGINT and SIGTERM
stop the search with its trials; both can go on later. Exit codes: 0 finished or stopped, 1 failed
(the reason is in the state), 3 the search could not be taken.
"""

import argparse
import contextlib
import signal
import sys
from pathlib import Path
from types import FrameType

import msgspec

from engine.diagnostics import DiagnosticError
from engine.runs.process.run_lock import RunLock
from engine.runs.record.log import redirect_output
from engine.runs.search import SearchFolder, SearchStatus
from engine.runtime.search_job import SearchJob

_EXIT_NOT_TAKEN = 3


def main(arguments: list[str]) -> int:
    """Carry out one search and return the exit code."""
    parser = argparse.ArgumentParser(prog="engine.runtime.search_worker")
    parser.add_argument("folder")
    parser.add_argument("--trials", type=int, default=0)
    parser.add_argument("--commands-from", type=int, default=0)
    parser.add_argument("--trusted", action="store_true")
    options = parser.parse_args(arguments)
    try:
        folder = SearchFolder.open(Path(options.folder))
        lease = RunLock(folder.path, 0)
    except DiagnosticError as error:
        sys.stderr.write(f"{error}\n")
        return _EXIT_NOT_TAKEN
    try:
        with contextlib.suppress(OSError):  # without a log the state still tells the end
            redirect_output(folder.log_path)
        try:
            job = SearchJob(
                folder, options.commands_from, trials=options.trials, trusted=options.trusted
            )
        except DiagnosticError as error:  # its record cannot be used
            problem, told = error.problems[0], folder.reported_state()
            failed = msgspec.structs.replace(told, status=SearchStatus.FAILED, problem=problem)
            folder.write_state(failed)
            return 1
        _stop_on_signals(job)
        return 1 if job.run() is SearchStatus.FAILED else 0
    finally:
        lease.release()


def _stop_on_signals(job: SearchJob) -> None:
    def stop(_number: int, _frame: FrameType | None) -> None:
        job.stop()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
