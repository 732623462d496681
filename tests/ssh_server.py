"""An SSH server on this machine for tests: keys, known machines and home folder of its own."""

import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

from engine.runs.machine.remote import Remote

_CONFIG = """
ListenAddress 127.0.0.1
Port {port}
HostKey {folder}/host
AuthorizedKeysFile {folder}/authorized
PidFile none
UsePAM no
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitUserEnvironment no
SetEnv HOME={folder}/home
"""


class SshServer:
    """A server with one key that opens it. Programs find it by a ``ssh`` of their ``PATH`` that
    reads the known machines of the test.
    """

    def __init__(self, folder: Path, python: str) -> None:
        self.folder = folder
        self.python = python
        self.port = _free_port()
        self.known_hosts = folder / "known_hosts"
        (folder / "home").mkdir()
        for name in ("host", "key", "stranger"):
            make_key(folder / name)
        shutil.copy(folder / "key.pub", folder / "authorized")
        self.know(folder / "host.pub")
        (folder / "sshd_config").write_text(_CONFIG.format(port=self.port, folder=folder))
        self._write_client()
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def path(self) -> str:
        """The ``PATH`` by which the client is found."""
        return f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"

    def remote(self, **changes: object) -> Remote:
        """Return how this server is reached."""
        values: dict[str, object] = {
            "host": "127.0.0.1",
            "port": self.port,
            "key": str(self.folder / "key"),
            "python": self.python,
            "folder": "~/trellis",
        }
        return Remote(**values | changes)

    def know(self, key: Path) -> None:
        """Note the host key of this machine for the client."""
        kind, value = key.read_text().split()[:2]
        self.known_hosts.write_text(f"[127.0.0.1]:{self.port} {kind} {value}\n")

    def start(self) -> None:
        """Listen."""
        Path("/run/sshd").mkdir(exist_ok=True)
        program = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
        assert program is not None, "the package openssh-server is needed (.ci/run installs it)"
        with (self.folder / "sshd.log").open("wb") as log:
            self._process = subprocess.Popen(
                [program, "-D", "-e", "-f", str(self.folder / "sshd_config")], stderr=log
            )
        until = time.monotonic() + 20
        while time.monotonic() < until:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        raise AssertionError((self.folder / "sshd.log").read_text())

    def stop(self) -> None:
        """Listen no more; connections go on."""
        assert self._process is not None
        self._process.terminate()
        self._process.wait()

    def _write_client(self) -> None:
        program = self.folder / "bin" / "ssh"
        program.parent.mkdir()
        options = f"-F none -o UserKnownHostsFile={self.known_hosts} -o GlobalKnownHostsFile=none"
        program.write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} {options} "$@"\n')
        program.chmod(0o755)


def make_key(path: Path) -> None:
    """Make a pair of keys without a passphrase."""
    words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)]
    subprocess.run(words, check=True)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
