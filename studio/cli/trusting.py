"""Whether the own code of a project may run in a command: the user said so now, or before in the
window.
"""

from argparse import Namespace
from collections.abc import Iterable, Mapping
from pathlib import Path

from engine import runtime
from engine.graph.code import code_digest
from engine.graph.shipped_code import is_shipped
from engine.project import Project
from engine.runs.folder import RunFolder
from engine.runs.machine.known_machine import KnownMachines
from engine.runs.machine.remote import read_remote
from studio.cli.parser import UsageError
from studio.cli.wording import said
from studio.process.settings import SettingsStore, TrustedCode


def trust_project(project: Project, options: Namespace) -> bool:
    """Let the code of a project run in this process where the user trusts it; return whether."""
    return _trust(project.path, project.graph.code, options)


def trust_run(run: RunFolder, options: Namespace) -> bool:
    """Let the code of a run run in this process where the user trusts it; return whether."""
    return _trust(run.project, run.document.graph.code, options)


def trust_machine(runs: Iterable[RunFolder], options: Namespace) -> None:
    """Let runs go on where they say to train, if that is the machine which the user names.

    Raises :class:`UsageError` when none says that, :class:`DiagnosticError` (R421) when its place
    there is another run's.
    """
    wanted = options.trust_machine
    if not wanted:
        return
    places = [(run, read_remote(run.path)) for run in runs]
    fitting = [(run, away) for run, away in places if away and away.remote.shown == wanted]
    if not fitting:
        named = ", ".join(away.remote.shown for _, away in places if away) or said("this one")
        raise UsageError(
            said(
                "--trust-machine {given}: what goes on trains on {named}", given=wanted, named=named
            )
        )
    for run, away in fitting:
        KnownMachines().agree(run, away)


def remember(path: Path, code: Mapping[str, str]) -> None:
    """Note that the user trusts the code of a project: it came with the program."""
    if code:
        store = SettingsStore()
        now = TrustedCode(saved=code_digest(code))
        store.change(trusted={**store.value.trusted, str(path): now})


def _trust(path: Path, code: Mapping[str, str], options: Namespace) -> bool:
    is_trusted = bool(options.trust) or _is_known(path, code)
    runtime.set_trust(code, trusted=is_trusted)
    return is_trusted


def _is_known(path: Path, code: Mapping[str, str]) -> bool:
    if is_shipped(code.values()):
        return True
    digest, settings = code_digest(code), SettingsStore().value
    known = settings.trusted.get(str(path), TrustedCode())
    return digest in (known.saved, known.unsaved, *settings.trusted_runs)
