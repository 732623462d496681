"""Two layers of tests: those that every change needs, and those that run processes, windows and
faults for real.

A test is in the second layer (``-m real``) by its folder, by a fixture that starts a process or
opens the whole window, or by its own mark. Tests of the first layer cannot start a process.
"""

import multiprocessing.process
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import pytest

HERE = Path(__file__).parent
REAL_FOLDERS = ("e2e", "faults", "fuzz", "gpu")
REAL_FIXTURES = {  # a name may mean a stand-in elsewhere
    "engine/runtime": {"host", "server"},
    "studio": {"studio"},  # the whole window
    "rows": {"studio"},
}
_REAL = tuple(f"{folder}/" for folder in REAL_FOLDERS)
_MIXED = tuple(f"{folder}/" for folder in REAL_FIXTURES)
MARK = "mark.real"
"""How a file that holds tests of the second layer elsewhere writes their mark."""
LONG = ("e2e/", "engine/train/", "engine/export/", "faults/test_run_kill.py")
"""Where the tests of the second layer are that take longest."""
QUESTIONS = {"ldconfig", "uname"}  # what libraries ask the system while they are imported
STARTS = (
    (multiprocessing.process.BaseProcess, "start"),
    *((os, name) for name in ("fork", "forkpty", "posix_spawn", "startfile") if hasattr(os, name)),
)


def holds_layer(path: Path, expression: str) -> bool:
    """Return whether a file may hold tests of the layer that a choice of marks asks for. The second
    needs a third of them, and to import the others took each process longer than most tests.
    """
    name = path.relative_to(HERE).as_posix() if path.is_relative_to(HERE) else ""
    if not path.name.startswith("test_"):
        return True
    if expression == "not real":
        return not name.startswith(_REAL)
    return expression != "real" or _may_be_real(path, name)


def _may_be_real(path: Path, name: str) -> bool:
    return name.startswith((*_REAL, *_MIXED)) or MARK in path.read_text("utf-8")


def sort_into_layers(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests of the second layer; leave the nightly ones out unless they are asked for."""
    names: dict[Path, str] = {}
    for item in items:
        name = names.get(item.path) or item.path.relative_to(HERE).as_posix()
        names[item.path] = name
        if _is_real(item, name):
            item.add_marker("real")
        if item.get_closest_marker("real") and not _may_be_real(item.path, name):
            raise pytest.UsageError(f"write {MARK} in {name}: the second layer passes it over")
    if "nightly" not in config.option.markexpr:
        nightly = [item for item in items if item.get_closest_marker("nightly")]
        config.hook.pytest_deselected(items=nightly)
        items[:] = [item for item in items if not item.get_closest_marker("nightly")]


def begin_with_long(items: list[pytest.Item], processes: int) -> None:
    """Have each process, which gets a part of all tests in their order, begin with the long ones:
    the others would wait for one that begins last.
    """
    groups: tuple[list[pytest.Item], list[pytest.Item]] = ([], [])
    for item in items:
        is_long = item.path.relative_to(HERE).as_posix().startswith(LONG)
        groups[not (is_long and item.get_closest_marker("real"))].append(item)
    items[:] = [
        item
        for part in range(processes)
        for group in groups
        for item in group[len(group) * part // processes : len(group) * (part + 1) // processes]
    ]


def _is_real(item: pytest.Item, name: str) -> bool:
    fixtures = set(getattr(item, "fixturenames", ()))
    return name.startswith(_REAL) or any(
        name.startswith(f"{folder}/") and fixtures & names
        for folder, names in REAL_FIXTURES.items()
    )


def forbid_processes(patch: pytest.MonkeyPatch) -> None:
    """Fail what starts a process, also where exceptions are caught."""
    begin = subprocess.Popen.__init__

    def refuse(*_: object, **__: object) -> NoReturn:
        pytest.fail("a test that starts a process is in the second layer: pytest.mark.real")

    def question(
        process: subprocess.Popen[bytes], command: Sequence[str], *more: Any, **options: Any
    ) -> None:
        if Path(command[0]).name not in QUESTIONS:
            refuse()
        begin(process, command, *more, **options)

    patch.setattr(subprocess.Popen, "__init__", question)
    for owner, name in STARTS:
        patch.setattr(owner, name, refuse)
    if (forks := sys.modules.get("engine.runtime.job.fork_client")) is not None:
        patch.setattr(forks.fork_server, "_users", 0)  # that of tests of the second layer before
