"""A screen of its own for each test, and programs on it that end with the test."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import psutil
import pytest

from engine.project import Project
from engine.runs.folder import runs_of
from engine.runs.process.run_lock import is_alive, read_tag
from tests.e2e.screen import ROOT, Program, Screen, missing_tools

Start = Callable[..., Program]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home folder with settings, state and documents of its own."""
    for name in ("CONFIG", "DATA", "CACHE", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    return tmp_path


@pytest.fixture
def screen(home: Path) -> Iterator[Screen]:
    """Return a virtual screen."""
    if missing := missing_tools():
        text = f"a virtual screen needs {', '.join(missing)}"
        if os.environ.get("CI") == "true":
            pytest.fail(text)
        pytest.skip(text)
    with Screen(home) as screen:
        yield screen


@pytest.fixture
def start(screen: Screen, home: Path) -> Iterator[Start]:
    """Return what starts the program; all of them and their runs are ended with the test. What the
    screen showed last is kept in a picture.
    """
    programs: list[Program] = []

    def start_program(*arguments: str | Path, folder: Path = ROOT) -> Program:
        log = home / f"program-{len(programs)}.txt"
        programs.append(Program(screen, log, *map(str, arguments), folder=folder))
        return programs[-1]

    yield start_program
    screen.screenshot(home / "end.png")
    said = [program.said() for program in programs]
    for program in programs:
        program.close()
    _end_runs(home)
    assert not any("Traceback" in text for text in said), said


@pytest.fixture
def project(home: Path) -> Path:
    """Return a project whose run would take hours."""
    made = Project.create(home / "long", "digits-mlp")
    made.spec = msgspec.structs.replace(made.spec, epochs=100_000, threads=1)
    made.save()
    return made.path


def _end_runs(home: Path) -> None:
    for project in home.rglob("project.json"):
        for run in runs_of(project.parent):
            tag = read_tag(run.path)
            if tag is not None and is_alive(tag):
                psutil.Process(tag.pid).kill()
