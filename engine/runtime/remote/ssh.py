"""The system's own SSH: how it is called, and what it means when it fails.

Nothing is ever asked for (``BatchMode``) and a machine has to be known already
(``StrictHostKeyChecking``): keys and known machines are those of the user.
"""

import contextlib
import os
import re
import shlex
import shutil
import subprocess
import threading
from pathlib import Path
from typing import IO

from engine.diagnostics import Diagnostic, DiagnosticError, printable
from engine.runs.machine.remote import Remote

_MOST_WRITTEN = 1 << 20
_MOST_TOLD = 64 << 10
_LONGEST_S = 900.0  # of sending the program over a slow connection
_LOST = 255  # SSH's own exit code: what ran there never ends with it
_OPTIONS = {
    "BatchMode": "yes",
    "StrictHostKeyChecking": "yes",
    "ConnectTimeout": "15",
    "ServerAliveInterval": "10",
    "ServerAliveCountMax": "3",
}
_ON_THE_WAY = (  # the first that fits, of what SSH itself says
    (r"REMOTE HOST IDENTIFICATION HAS CHANGED", "R406"),
    (r"Host key verification failed|No \S+ host key is known", "R405"),
    (r"UNPROTECTED PRIVATE KEY FILE|Load key|Identity file .* not accessible", "R407"),
    (r"Could not resolve hostname", "R402"),
    (r"Permission denied|Too many authentication failures", "R404"),
)
_THERE = (
    (r"[Nn]o space left|Disk quota exceeded", "R411"),
    (r"PermissionError|Read-only file system|NotADirectoryError", "R412"),
    (r"command not found|No such file or directory|not found|Permission denied", "R408"),
)


_HEAD = re.compile(r"ssh: (connect to host \S+ port \d+: )?")


def require_ready(remote: Remote) -> None:
    """Raise :class:`DiagnosticError` where SSH (R401) or the key (R407) is missing here."""
    if shutil.which("ssh") is None:
        raise DiagnosticError.of("R401")
    if remote.key and not Path(remote.key).expanduser().is_file():
        raise DiagnosticError(Diagnostic(code="R407", params=_params(remote)))


def ssh_arguments(remote: Remote, command: str) -> list[str]:
    """Return the argument list that runs a shell command there."""
    arguments = ["ssh", "-T"]
    for name, value in _OPTIONS.items():
        arguments += ["-o", f"{name}={value}"]
    if remote.key:
        key = str(Path(remote.key).expanduser())
        arguments += ["-i", key, "-o", "IdentitiesOnly=yes"]
    if remote.port:
        arguments += ["-p", str(remote.port)]
    return [*arguments, "--", remote.address, command]


def open_ssh(remote: Remote, command: str) -> "subprocess.Popen[bytes]":
    """Start a shell command there, its input and output being pipes.

    Raises :class:`DiagnosticError` (R401, R407).
    """
    require_ready(remote)
    try:
        return subprocess.Popen(
            ssh_arguments(remote, command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except OSError as error:
        raise DiagnosticError.of("R401", detail=str(error)) from error


def run_there(remote: Remote, command: str, given: bytes = b"") -> bytes:
    """Run a shell command there to its end and return what it wrote.

    Raises :class:`DiagnosticError` (R401 to R414) when it cannot be reached or fails.
    """
    process = open_ssh(remote, command)
    assert process.stdin is not None
    assert process.stdout is not None
    told = ErrorOutput(process)
    clock = threading.Timer(_LONGEST_S, process.kill)
    clock.daemon = True
    clock.start()
    sender = threading.Thread(target=_send, args=(process.stdin, given), name="ssh-input")
    sender.start()
    try:
        written = process.stdout.read(_MOST_WRITTEN + 1)
        if len(written) > _MOST_WRITTEN:
            process.kill()
        process.stdout.close()
        code = process.wait()
    finally:
        clock.cancel()
        sender.join()
        told.close()
    if len(written) > _MOST_WRITTEN:
        raise unfit(remote, ValueError(f"an answer of more than {_MOST_WRITTEN:,} bytes"))
    if code:
        raise failure(remote, code, told.text())
    return written


class ErrorOutput:
    """The end of what a process writes on its error output, which may be without an end."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stderr is not None
        self._stream = process.stderr
        self._last = b""
        self._thread = threading.Thread(target=self._listen, name="ssh-errors", daemon=True)
        self._thread.start()

    def text(self) -> str:
        """Return the end of what was written so far."""
        return self._last.decode("utf-8", "replace")

    def close(self) -> None:
        """Wait for the end, and let go of the stream."""
        self._thread.join()
        self._stream.close()

    def _listen(self) -> None:
        while piece := os.read(self._stream.fileno(), _MOST_TOLD):
            self._last = (self._last + piece)[-_MOST_TOLD:]


def _send(stream: IO[bytes], given: bytes) -> None:
    with contextlib.suppress(OSError):  # what is not read any more; the exit code tells why
        stream.write(given)
    with contextlib.suppress(OSError):
        stream.close()


def failure(remote: Remote, code: int, told: str) -> DiagnosticError:
    """Return what an end of SSH with an exit code and a text on its error output means."""
    is_lost = code == _LOST
    meanings = _ON_THE_WAY if is_lost else _THERE
    other = "R403" if is_lost else "R414"
    found = next((name for pattern, name in meanings if re.search(pattern, told)), other)
    last = told.strip().splitlines()[-1:] or [f"exit code {code}"]
    reason = printable(_HEAD.sub("", last[0].strip()).rstrip("."), 200)
    detail = printable(told.strip()[-4000:])
    return DiagnosticError.of(found, detail=detail, **_params(remote), reason=reason)


def unfit(remote: Remote, error: Exception) -> DiagnosticError:
    """Return what it means that a machine answers what this program there would not."""
    reason, detail = printable(str(error), 200), printable(str(error), 4000)
    return DiagnosticError.of("R414", detail=detail, **_params(remote), reason=reason)


def quoted(path: str) -> str:
    """Return a path as a word for the shell there, with ``~/`` as the home folder."""
    if path.startswith("~/"):
        return f'"$HOME"/{shlex.quote(path.removeprefix("~/"))}'
    return shlex.quote(path)


def _params(remote: Remote) -> dict[str, str | int | float]:
    return {
        "machine": remote.shown,
        "address": remote.address,
        "key": remote.key,
        "python": remote.python,
        "folder": remote.folder,
    }
