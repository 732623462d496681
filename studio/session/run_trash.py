"""Where deleted runs are until the project is opened again: each can be brought back until then."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from engine.diagnostics import Diagnostic
from engine.files import describe_os_error


class RunTrash:
    """The deleted runs of one project: folders in its state folder, under names of their own."""

    def __init__(self, state_folder: Path, runs_folder: Path) -> None:
        self._folder = state_folder / "trash"
        self._runs_folder = runs_folder

    def move_in(self, runs: Sequence[Path]) -> tuple[list[str], list[Diagnostic]]:
        """Move run folders here; return the ids of those that are gone and what went wrong."""
        gone: list[str] = []
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            return gone, [describe_os_error(error, self._folder, "write")]
        for path in runs:
            try:
                path.rename(self._free_place(path.name))
            except OSError as error:
                return gone, [describe_os_error(error, path, "move")]
            gone.append(path.name)
        return gone, []

    def bring_back(self, wanted: Sequence[str] = ()) -> tuple[list[str], list[Diagnostic]]:
        """Move runs back (none named: all); return their ids and what went wrong. A run whose id
        was given to a newer one stays here.
        """
        back: list[str] = []
        for place in sorted(self._folder.glob("*~*"), reverse=True):
            name = place.name.rpartition("~")[0]
            path = self._runs_folder / name
            try:
                if (not wanted or name in wanted) and not path.exists():
                    place.rename(path)
                    back.append(name)
            except OSError as error:
                return back, [describe_os_error(error, place, "move")]
        return back, []

    def empty(self) -> None:
        """Remove for good what was not brought back."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _free_place(self, name: str) -> Path:
        number = 1
        while (place := self._folder / f"{name}~{number}").exists():
            number += 1
        return place
