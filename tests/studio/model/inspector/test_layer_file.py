"""A layer begins with the weights that a file has for it, chosen where there are several."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.graph.node_state.initialization import chosen_initials
from engine.query.weights.request import LayerMatch, LayerMatches, MatchLayer
from studio.model.inspector.layer_file import LayerMenu

FIRST, SECOND = (
    LayerMatch(name=name, tensors={"weight": f"{name}.weight", "bias": f"{name}.bias"})
    for name in ("encoder.0", "encoder.2")
)


def begun(opened, node: str) -> dict[str, dict[str, object]]:
    graph = opened.session.graph
    return {
        name: initial.params
        for name, (_, initial) in chosen_initials(graph, graph.nodes[node]).items()
    }


@pytest.fixture
def canvas(opened, qtbot):
    opened.window.show_workspace("model")
    canvas = opened.window.page("model").canvas
    qtbot.waitUntil(lambda: canvas.isVisible() and bool(canvas.scene.nodes))
    return canvas


@pytest.fixture
def file(opened) -> Path:
    place = opened.session.project.path / "weights" / "other.pth"
    place.parent.mkdir()
    place.write_bytes(b"weights")
    return place


def act(opened, canvas, qtbot, node: str, answer) -> None:
    """Select a layer and have a file looked through for it."""
    canvas.select((node,))
    qtbot.waitUntil(lambda: opened.session.selection == (node,))
    action = opened.bench.actions.action("action.model.load_layer")
    qtbot.waitUntil(action.isEnabled)
    action.trigger()
    dialog = opened.window.findChild(QFileDialog, "dialog.layer.choose")
    dialog.fileSelected.emit(str(answer))
    dialog.reject()


@pytest.mark.row("S235")
def test_that_the_only_layer_that_fits_is_taken_in_one_step(opened, canvas, host, qtbot, file):
    host.own[MatchLayer] = lambda _: LayerMatches(matches=(FIRST,))
    act(opened, canvas, qtbot, "hidden1", file)
    qtbot.waitUntil(lambda: bool(begun(opened, "hidden1")))
    (request,) = (each for each in host.requests if isinstance(each, MatchLayer))
    assert (request.file, request.place) == (str(file), "hidden1")
    assert begun(opened, "hidden1") == {
        role: {"file": "weights/other.pth", "tensor": f"encoder.0.{role}"}
        for role in ("weight", "bias")
    }
    assert any("encoder.0" in line.text for line in opened.notifications.lines)
    opened.session.undo()
    assert not begun(opened, "hidden1")


@pytest.mark.row("S235")
def test_that_one_of_several_layers_is_chosen_and_the_file_comes_into_the_project(
    opened, canvas, host, qtbot, monkeypatch
):
    offered = []  # without a popup, which closes where another window becomes active
    monkeypatch.setattr(LayerMenu, "popup", lambda menu, _: offered.append(menu))
    elsewhere = opened.session.project.path.parent / "elsewhere.pt"
    elsewhere.write_bytes(b"weights")
    host.own[MatchLayer] = lambda _: LayerMatches(matches=(FIRST, SECOND))
    act(opened, canvas, qtbot, "hidden2", elsewhere)
    qtbot.waitUntil(lambda: bool(offered))
    (menu,) = offered
    assert [action.text() for action in menu.actions()] == ["encoder.0", "encoder.2"]
    menu.actions()[1].trigger()
    menu.close()
    qtbot.waitUntil(lambda: bool(begun(opened, "hidden2")))
    params = begun(opened, "hidden2")["weight"]
    assert params["tensor"] == "encoder.2.weight"
    copy = opened.session.project.path / str(params["file"])
    assert copy.read_bytes() == b"weights"


@pytest.mark.row("S235")
def test_that_a_file_without_such_a_layer_is_told(opened, canvas, host, qtbot, file):
    params = {"file": "other.pth", "layer": "hidden1", "wanted": "weight 64×64"}
    refusal = DiagnosticError(Diagnostic(code="X034", params=params))
    host.own[MatchLayer] = lambda _: refusal
    act(opened, canvas, qtbot, "hidden1", file)
    qtbot.waitUntil(lambda: any("64×64" in line.text for line in opened.notifications.lines))
    assert not begun(opened, "hidden1")


def test_that_what_has_no_weights_loads_none(opened, canvas, qtbot):
    canvas.select(("relu1",))
    qtbot.waitUntil(lambda: opened.session.selection == ("relu1",))
    assert not opened.bench.actions.action("action.model.load_layer").isEnabled()
