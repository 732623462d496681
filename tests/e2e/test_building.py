"""Building in the real window: a block of the selection, a click that mends, surgery."""

from pathlib import Path

import pytest

from engine.project import Project
from tests.e2e.conftest import Start
from tests.e2e.screen import LOADING_S, Program

pytestmark = [pytest.mark.window, pytest.mark.timeout(600)]


@pytest.fixture
def project(home: Path) -> Path:
    """Return a project with a network of convolutions."""
    made = Project.create(home / "digits", "digits-cnn")
    made.save()
    return made.path


def command(program: Program, words: str) -> None:
    """Give a command by its words, as they are typed after Ctrl+K."""
    program.key("ctrl+k")
    program.widget("commands.search")
    program.type(words)
    program.row("commands.list", words)
    program.key("Return")
    program.wait_until_gone("commands")


def saved(program: Program, project: Path) -> Project:
    """Save with the keys and return the project as it is on disk."""
    before = (project / "project.json").stat().st_mtime_ns
    program.widget("mainWindow", lambda w: "*" in str(w["text"]))
    program.key("ctrl+s")
    program.widget("mainWindow", lambda w: "*" not in str(w["text"]))
    assert (project / "project.json").stat().st_mtime_ns > before
    return Project.open(project)


@pytest.mark.row("N05", "P09", "S121", "S123")
def test_that_a_model_is_mended_cut_given_another_head_and_gathered_into_a_block(
    start: Start, project: Path
):
    program = start(project)
    mend_by_a_click(program)
    change_head_and_cut(program, project)
    gather_into_a_block(program, project)
    program.key("ctrl+q")
    assert program.end() == 0


def mend_by_a_click(program: Program) -> None:
    """Set a size that does not fit, and take the fix that is offered."""
    program.click(program.node("classifier"))
    program.widget("inspector.name", lambda w: w["text"] == "classifier")
    program.replace_text("field.in_features", "7")
    program.click(program.row("problems", "classifier", timeout_s=LOADING_S))
    program.click("problems.fix")
    program.node("classifier", lambda n: n["severity"] is None)


def change_head_and_cut(program: Program, project: Path) -> None:
    """Give the model another number of classes, cut layers off, and undo all three changes."""
    command(program, "Change number of classes")
    program.replace_text("dialog.head.number", "4")
    program.wait_until_gone("dialog.head")
    program.node("classifier", lambda n: n["severity"] == "error")  # the data have ten
    program.click(program.node("pool"))
    program.node("pool", lambda n: n["is_selected"])
    command(program, "Cut off following layers")
    program.widget("canvas", lambda _: program.ask(ask="node", name="classifier") is None)
    graph = saved(program, project).graph
    assert {"flatten", "dropout", "classifier"}.isdisjoint(n.name for n in graph.nodes.values())
    program.key("ctrl+z", "ctrl+z", "ctrl+z")
    program.node("classifier")
    nodes = {node.name: node for node in saved(program, project).graph.nodes.values()}
    assert nodes["classifier"].params["out_features"] == 10
    assert nodes["classifier"].params["in_features"] == 7


def gather_into_a_block(program: Program, project: Path) -> None:
    """Make a block of what is selected, enter it and leave it."""
    program.click(program.node("relu2"))
    for name in ("norm2", "conv2"):
        place = program.node(name)
        program.hold("shift", lambda place=place: program.click(place))
        program.node(name, lambda n: n["is_selected"])
    program.key("ctrl+g")
    block = program.node("conv_block", lambda n: n["is_selected"])
    assert program.ask(ask="node", name="conv2") is None
    program.click(block, repeat=2)
    program.node("conv2")
    assert program.is_shown("model.breadcrumbs")
    program.key("alt+Up")
    program.node("conv_block")
    program.wait_until_gone("model.breadcrumbs")
    graph = saved(program, project).graph
    (made,) = graph.blocks.values()
    assert {"conv2", "norm2", "relu2"} <= {node.name for node in made.nodes.values()}
