"""The real window with the keyboard alone: what has the keys is on the screen."""

from pathlib import Path

import pytest

from engine.project import Project
from tests.e2e.conftest import Start
from tests.e2e.screen import Program
from tests.e2e.test_building import saved

pytestmark = [pytest.mark.window, pytest.mark.timeout(600)]


@pytest.fixture
def project(home: Path) -> Path:
    """Return a project with a small network."""
    made = Project.create(home / "digits", "digits-mlp")
    made.save()
    return made.path


def has_keys(program: Program, name: str) -> None:
    """Wait until a widget on the screen has the keys."""
    program.widget(name, lambda w: w["has_focus"])


def test_that_keys_stay_on_what_is_on_the_screen(start: Start, project: Path):
    program = start(project)
    type_into_a_field(program, project)
    examine_by_a_button(program)
    program.key("ctrl+q")
    assert program.end() == 0


def type_into_a_field(program: Program, project: Path) -> None:
    """Go through the settings of a node by keys: none reaches the code behind the problems."""
    names = {node.name for node in Project.open(project).graph.nodes.values()}
    program.click(program.node("hidden1"))
    program.key("ctrl+1")
    has_keys(program, "canvas")
    program.key("Return")
    has_keys(program, "inspector.form")
    for _ in range(30):
        program.key("Tab")
        assert not program.is_shown("code")
        place = program.ask(ask="widget", name="code")
        assert place
        assert not place["has_focus"]
    program.key("ctrl+1")
    has_keys(program, "canvas")
    program.key("Return")
    has_keys(program, "inspector.form")
    program.key("Tab", "Tab")
    program.type("77")
    program.widget("field.out_features", lambda w: w["text"] == "77")
    program.key("Escape")
    program.widget("field.out_features", lambda w: w["text"] != "77" and w["has_focus"])
    program.key("Escape")
    has_keys(program, "canvas")
    program.key("Right", "ctrl+l")
    graph = saved(program, project).graph
    assert {node.name for node in graph.nodes.values()} == names


def examine_by_a_button(program: Program) -> None:
    """Press the button that examines: it goes, and its page has the keys."""
    program.key("ctrl+k")
    program.widget("commands.search")
    program.type("doctor")
    program.row("commands.list", "doctor")
    program.key("Return")
    program.wait_until_gone("commands")
    program.click("doctor.empty.action")
    program.wait_until_gone("doctor.empty.action")
    has_keys(program, "page.inspect")
    program.key("space")  # opens a list at most
    program.key("Escape")
    has_keys(program, "page.inspect")
