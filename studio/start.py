"""Start of the program: the window, or a command without one.

The installation is looked at before anything else is imported; nothing but the standard library is
imported at the top.
"""

from __future__ import annotations

import builtins
import gc
import os
import sys
from pathlib import Path

from studio.installation import Finding, screen_findings, toolkit_findings, version_findings

COMMANDS = (
    "templates",
    "new",
    "data",
    "check",
    "settings",
    "code",
    "train",
    "machines",
    "runs",
    "set",
    "events",
    "search",
    "queue",
    "evaluate",
    "predict",
    "serve",
    "export",
    "import",
    "doctor",
    "report",
    "find-rate",
    "find-batch",
    "generate",
    "lora",
    "known-machines",
    "screenshot",
)


def start(arguments: list[str]) -> int:
    """Start the window or a command and return the exit code; 2 with a line when it cannot be."""
    _open_streams()
    search_only_the_path(sys.platform)
    is_window = not arguments or not (arguments[0] in COMMANDS or arguments[0].startswith("-"))
    found = version_findings()
    needs_qt = is_window or arguments[0] == "screenshot"
    if is_window:
        gc.disable()  # until ``studio.process.collector`` takes over
    blocking = ("all", "window") if needs_qt else ("all",)
    fatal = [finding for finding in found if finding.blocks in blocking]
    if not fatal and is_window:
        fatal = _path_findings(arguments) or screen_findings()
    if not fatal and needs_qt:
        # PySide puts an import of its own in place of Python's, for ``from __feature__ import``. It
        # reads the source of each module that is imported from then on: a tenth of a start.
        plain = builtins.__import__
        fatal = toolkit_findings()
        builtins.__import__ = plain
    if fatal:
        return _refuse(fatal[0])
    if is_window:
        for finding in found:
            _say(finding)
        return _open_window(arguments)
    for stream in (sys.stdout, sys.stderr):  # a file name may hold what the terminal cannot show
        stream.reconfigure(errors="backslashreplace")  # pyright: ignore[reportAttributeAccessIssue]
    from studio import cli

    return cli.main(arguments)


def end_at_once(ended: list[int]) -> None:
    """End a program that has loaded PyTorch with its exit code, if it came so far: to take PyTorch
    apart first would take a second more.
    """
    if ended and "torch" in sys.modules:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(ended[0])


def _open_streams() -> None:
    """Let what is written go nowhere where the caller closed the stream, or there is no console."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - for good
            setattr(sys, name, nowhere)


def search_only_the_path(system: str) -> None:
    """Keep Windows from looking for ``ssh`` and other programs in the folder that the program was
    started in: it may be a project of somebody else.
    """
    if system == "win32":
        os.environ.setdefault("NoDefaultCurrentDirectoryInExePath", "1")


def _say(finding: Finding) -> None:
    sys.stderr.write(f"trellis: {finding.sentence()}\n")


def _refuse(finding: Finding) -> int:
    _say(finding)
    return 2


def _path_findings(arguments: list[str]) -> list[Finding]:
    if not arguments or Path(arguments[0]).exists():
        return []
    return [Finding("E034", {"name": arguments[0], "commands": ", ".join(COMMANDS)}, "window")]


def _open_window(arguments: list[str]) -> int:
    from studio.app import app

    return app.main(Path(arguments[0]) if arguments else None)
