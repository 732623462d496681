"""Launcher of several processes: ``python -m engine.train.ranks.launcher`` takes the arguments of
``torchrun``. PyTorch's elastic agent then opens no port to the network where one machine trains
alone, and trusts no stranger where several do (:mod:`engine.train.ranks.rendezvous`).
Where processes can be forked, they are (:mod:`engine.train.ranks.rank_fork`).
"""

import argparse
import inspect
import os
import sys
from pathlib import Path

from torch.distributed import run

from engine.diagnostics import DiagnosticError, sentence
from engine.runs.machine.rendezvous_key import read_key
from engine.runs.process.forking import can_fork, run_module
from engine.train.ranks.rank_fork import RankOrder, open_forks
from engine.train.ranks.rendezvous import ForgedStateError, register

OWN_STORES = "TORCH_DISABLE_SHARE_RDZV_TCP_STORE"
"""The variable by which PyTorch's agent opens no store for its processes."""

_EXIT_FAILED = 1


def main(arguments: list[str]) -> int:
    """Start the processes, restart them where one is lost, and return the exit code when they are
    done. Why machines did not meet goes to standard error.
    """
    options = run.parse_args(arguments)
    forks = open_forks(options.training_script) if options.module and can_fork() else None
    if isinstance(forks, RankOrder):  # this is a rank
        run_module(forks.command)
        return 0
    try:
        return _launch(options, arguments)
    finally:
        if forks is not None:
            forks.close()


def _launch(options: argparse.Namespace, arguments: list[str]) -> int:
    least, most = run.parse_min_max_nnodes(options.nnodes)
    if most == 1 or least < most:
        # On one machine the processes meet at a file: the agent's store would listen at all
        # addresses for nobody. With a store shared between rounds a machine that joins later waits
        # for ever: the first one keeps what it told in the first round (PyTorch 2.15,
        # DynamicRendezvousHandler.next_rendezvous).
        os.environ[OWN_STORES] = "1"
    name_callers()
    register(lambda: read_key(Path(options.training_script_args[0])))
    try:
        run.main(arguments)
    except DiagnosticError as error:
        sys.stderr.write(f"{error}\n")
        return _EXIT_FAILED
    except ForgedStateError as error:
        sys.stderr.write(f"{sentence(error.problem)}\n")
        return _EXIT_FAILED
    return 0


def name_callers() -> None:
    """Tell ``inspect`` the modules of the functions that run. PyTorch asks it for all of them at
    each step of a rendezvous, and for a file that no module in memory has it looks through all of
    them: that took a second of the processor and more.
    """
    frame = inspect.currentframe()
    while frame is not None:
        name = str(frame.f_globals.get("__name__", ""))
        inspect.modulesbyfile.setdefault(frame.f_code.co_filename, name)
        frame = frame.f_back


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
