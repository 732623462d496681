"""The import in the window with the process that really imports."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QPushButton

from engine.graph.block import block_of


@pytest.mark.nightly
@pytest.mark.timeout(300)
@pytest.mark.row("P11", "S118", "N04")
def test_that_a_residual_net_is_on_the_canvas_with_its_blocks_and_weights(studio, qtbot, tmp_path):
    studio.show(None)
    controller = studio.bench.sources.importing
    controller.ask()
    dialog = studio.window.findChild(QDialog, "dialog.import")
    dialog.choose_model("resnet18")
    dialog.value_changed.emit("folder", str(tmp_path))
    button = dialog.findChild(QPushButton, "dialog.import.import")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: studio.session.project is not None, timeout=240_000)
    graph = studio.session.graph
    uses = [node.name for node in graph.nodes.values() if block_of(graph, node) is not None]
    assert uses == ["layer1", "layer2", "layer3", "layer4"]
    weights = studio.session.project.path / studio.session.spec.weights
    assert weights.stat().st_size > 4 * 11_689_512
    assert studio.bench.model_page.canvas.scene.nodes
