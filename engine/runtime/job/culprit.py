"""Own code that took a host process down, so that the next one does not run it again."""

import contextlib
import os
import tempfile
from pathlib import Path

from engine.custom.watchdog import MARKER, SEPARATOR, last_words, name_of

_MOST = 3
"""Deaths by one definition, whatever it was given, until it is not run at all any more."""


class Culprits:
    """The file in which a host tells what it runs, and what earlier hosts died of.

    Used by one client; :meth:`close` removes the file.
    """

    def __init__(self) -> None:
        descriptor, path = tempfile.mkstemp(prefix="trellis-host-")
        os.close(descriptor)
        self.path = Path(path)
        self._made = self.path.stat().st_mtime_ns
        self.banned: dict[str, str] = {}

    def environment(self) -> dict[str, str]:
        """Return the environment of a host that is watched."""
        return {**os.environ, MARKER: str(self.path)}

    def find(self, exit_code: int) -> bool:
        """Note what the host that just ended was running; return whether it was running any."""
        found = last_words(self.path, exit_code)
        if found is None:
            return False
        key, verdict = found
        definition = key.partition(SEPARATOR)[0]
        alike = [other for other in self.banned if other.startswith(definition + SEPARATOR)]
        banned = {**self.banned, key: verdict.value}
        if len({*alike, key}) >= _MOST:
            banned[definition] = verdict.value
        self.banned = banned  # replaced, not changed: another thread may be writing it out
        with contextlib.suppress(OSError):
            self.path.write_bytes(b"")
        return True

    def running(self) -> str:
        """Return the name of what a host runs at this moment (``aug.brighter``); empty for none."""
        found = last_words(self.path, 0)
        return "" if found is None else name_of(found[0])

    @property
    def have_run(self) -> bool:
        """Whether a host has run any custom code; true where no host can tell."""
        if not hasattr(os, "pwrite"):
            return True
        with contextlib.suppress(OSError):
            return self.path.stat().st_mtime_ns != self._made
        return True

    def close(self) -> None:
        """Remove the file."""
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)
