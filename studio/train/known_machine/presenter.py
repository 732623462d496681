"""Known machines as lines of a table, with a note about them."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.runs.machine.known_machine import KnownMachine
from engine.runs.machine.remote import Remote
from studio.i18n import filled, translate


@dataclass(frozen=True, kw_only=True)
class KnownMachineRow:
    """One machine: where it is, how it is reached, what is used there and what was sent there."""

    machine: str
    key: str
    python: str
    folder: str
    runs: str
    about: str


def present_known_machines(entries: Sequence[KnownMachine]) -> tuple[KnownMachineRow, ...]:
    """Return a line for each machine."""
    return tuple(_row(entry) for entry in entries)


def present_note(entries: Sequence[KnownMachine], forgotten: Sequence[Remote] = ()) -> str:
    """Return what stands below the table: what was just forgotten, or what the list is for."""
    if forgotten:
        return translate(
            "KnownMachines",
            "Forgotten: {machines}. You will be asked before a run there continues. No run "
            "was stopped and nothing was deleted there.",
        ).format(machines=", ".join(one.shown for one in forgotten))
    if not entries:
        return translate(
            "KnownMachines",
            "No known machines. A machine is added when you train on it (Run › Train on "
            "another machine…), or when you confirm a run that uses it.",
        )
    return translate(
        "KnownMachines",
        "Your keys are used to sign in to these machines when you train there or continue "
        "a run there. Forget those that you no longer use.",
    )


def _row(entry: KnownMachine) -> KnownMachineRow:
    remote, runs = entry.remote, _runs(entry)
    configured = translate("KnownMachines", "from the SSH configuration")
    about = translate(
        "KnownMachines",
        "Machine: {host}\nUser: {user}\nPort: {port}\nKey: {key}\nRemote Python: {python}\n"
        "Remote folder: {folder}\nRuns sent there: {runs}",
    ).format(
        host=remote.host,
        user=remote.user or configured,
        port=remote.port or configured,
        key=remote.key or configured,
        python=remote.python,
        folder=remote.folder,
        runs=runs,
    )
    return KnownMachineRow(
        machine=remote.shown,
        key=remote.key or configured,
        python=remote.python,
        folder=remote.folder,
        runs=runs,
        about=about,
    )


def _runs(entry: KnownMachine) -> str:
    if not entry.runs:
        return translate("KnownMachines", "none")
    if not entry.last_day:
        return str(entry.runs)
    text = translate("KnownMachines", "{count}, last on {day}")
    return filled(text, count=entry.runs, day=entry.last_day)
