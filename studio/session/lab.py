"""The autograd lab as long as the program lives: its process, and what was typed."""

from pathlib import Path

import msgspec

from engine.decoding import decode_json
from engine.diagnostics import DiagnosticError
from engine.files import UNDECODABLE, atomic_write, describe_os_error, private_folder, read_file
from engine.runtime.job.lab import LabClient

_FILE = "lab.json"


class Drafts(msgspec.Struct, frozen=True, kw_only=True):
    """What was typed, by lesson (empty: code of one's own), and which of them was open."""

    lesson: str = ""
    texts: dict[str, str] = {}


class Lab:
    """Keeps drafts in a folder of the user. ``read`` and ``keep`` are not for Qt's thread."""

    def __init__(self, folder: Path) -> None:
        self.client = LabClient()
        self.drafts: Drafts | None = None
        self._path = folder / _FILE
        self._is_kept = True

    def read(self) -> Drafts | None:
        """Return what was typed in a session before. Raises :class:`DiagnosticError`."""
        try:
            return decode_json(read_file(self._path), Drafts)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise DiagnosticError(describe_os_error(error, self._path, "read")) from error
        except UNDECODABLE:
            return None  # damaged: the lessons are there all the same

    def change(self, drafts: Drafts) -> None:
        """Take over what is typed; :meth:`keep` writes it."""
        self.drafts = drafts
        self._is_kept = False

    def keep(self) -> None:
        """Write what was changed for the next session. Raises :class:`DiagnosticError`."""
        if self._is_kept:
            return
        self._is_kept = True  # before it is read: a change meanwhile is written the next time
        try:
            private_folder(self._path.parent)
            atomic_write(self._path, msgspec.json.encode(self.drafts), private=True)
        except OSError as error:
            self._is_kept = False
            raise DiagnosticError(describe_os_error(error, self._path, "write")) from error
        except DiagnosticError:
            self._is_kept = False
            raise
