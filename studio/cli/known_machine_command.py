"""The command about the machines on which the user's SSH keys may sign in."""

from argparse import Namespace

from engine.runs.machine.known_machine import KnownMachine, KnownMachines
from studio.cli.output import write, write_document, write_table
from studio.cli.parser import UsageError
from studio.cli.wording import said

_CONFIGURED = "from the SSH configuration"


def known_machines(options: Namespace) -> int:
    """List the machines, the last used first; with ``--forget`` those that are left."""
    known = KnownMachines()
    before = known.entries()
    gone = [entry for entry in before if entry.remote.shown in options.forget]
    unknown = set(options.forget) - {entry.remote.shown for entry in gone}
    if unknown:
        named = ", ".join(dict.fromkeys(entry.remote.shown for entry in before)) or said("none")
        raise UsageError(
            said(
                "--forget {names}: the known machines are {named}",
                names=" ".join(sorted(unknown)),
                named=named,
            )
        )
    if gone:
        known.forget([entry.remote for entry in gone])
    left = [entry for entry in before if entry not in gone]
    if options.json:
        write_document({"machines": [*map(_document, left)], "forgotten": [*map(_document, gone)]})
        return 0
    for entry in gone:
        remote = entry.remote
        write(
            said(
                "{machine} (Python {python}, folder {folder}) was forgotten",
                machine=remote.shown,
                python=remote.python,
                folder=remote.folder,
            )
        )
    if gone:
        write(said("A run there only continues after you confirm the machine again."))
    elif left:
        head = ("machine", "key", "python", "folder", "runs", "last run")
        write_table([tuple(map(said, head)), *map(_cells, left)])
    else:
        write(
            said(
                "No known machines. Add one with “train --on”, “--trust-machine” or in the window."
            )
        )
    return 0


def _cells(entry: KnownMachine) -> tuple[str, ...]:
    remote = entry.remote
    key = remote.key or _CONFIGURED
    return (
        *(remote.shown, key, remote.python, remote.folder),
        *(str(entry.runs), entry.last_day),
    )


def _document(entry: KnownMachine) -> dict[str, object]:
    remote = entry.remote
    return {
        "machine": remote.shown,
        "host": remote.host,
        "user": remote.user,
        "port": remote.port,
        "key": remote.key,
        "python": remote.python,
        "folder": remote.folder,
        "runs": entry.runs,
        "last_run": entry.last_day,
    }
