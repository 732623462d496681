"""A screen of its own for each test, and programs on it that end with the test."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.runs.folder import runs_of
from engine.runs.lease import is_alive, read_tag
from tests.e2e.screen import Program, Screen, missing_tools

Start = Callable[..., Program]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home folder with settings, state and documents of its own."""
    for name in ("CONFIG", "DATA", "CACHE", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    return tmp_path


@pytest.fixture
def screen(home: Path, request: pytest.FixtureRequest) -> Iterator[Screen]:
    """Return a virtual screen; a picture of it is kept when the test fails."""
    if missing := missing_tools():
        text = f"a virtual screen needs {', '.join(missing)}"
        if os.environ.get("CI") == "true":
            pytest.fail(text)
        pytest.skip(text)
    failed_before = request.session.testsfailed
    with Screen(home) as screen:
        yield screen
        if request.session.testsfailed > failed_before:
            screen.screenshot(home / "failed.png")


@pytest.fixture
def start(screen: Screen, home: Path) -> Iterator[Start]:
    """Return what starts the program; all of them and their runs are ended with the test."""
    programs: list[Program] = []

    def start_program(*arguments: str | Path) -> Program:
        log = home / f"program-{len(programs)}.txt"
        programs.append(Program(screen, log, *map(str, arguments)))
        return programs[-1]

    yield start_program
    screen.screenshot(home / "end.png")
    said = [program.said() for program in programs]
    for program in programs:
        program.close()
    _end_runs(home)
    assert not any("Traceback" in text for text in said), said


def _end_runs(home: Path) -> None:
    import psutil

    for project in home.rglob("project.json"):
        for run in runs_of(project.parent):
            tag = read_tag(run.path)
            if tag is not None and is_alive(tag):
                psutil.Process(tag.pid).kill()
