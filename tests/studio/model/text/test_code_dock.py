"""The Code panel: lines and nodes lead to each other, and the source can be taken away."""

import subprocess
import sys

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QToolButton

from engine.graph.analysis import Analysis
from studio.model.text.export import CodeController
from widgets.common.toast import ToastStack

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def coded(opened, host, monkeypatch, qtbot):
    """Return the program with a source that has a line for each node."""
    plain = host.analysis

    def analysis(graph) -> Analysis:
        rows = [f"{node.name} = {number}" for number, node in enumerate(graph.nodes.values())]
        lines = {number + 3: node_id for number, node_id in enumerate(graph.nodes)}
        source = "# 模型\n\n" + "\n".join(rows) + "\n"
        return replace(plain(graph), source=source, lines=lines)

    monkeypatch.setattr(host, "analysis", analysis)
    opened.services.analyst.ask_again()
    code = opened.bench.code
    qtbot.waitUntil(lambda: code.text.toPlainText().startswith("# 模型"))
    opened.window.show_workspace("model")
    opened.window.show_dock("code")
    qtbot.waitUntil(code.text.isVisible)
    return opened


def line_place(code, line: int) -> QPoint:
    block = code.text.document().findBlockByNumber(line - 1)
    box = code.text.blockBoundingGeometry(block).translated(code.text.contentOffset())
    return QPoint(60, round(box.center().y()))


def toast(studio) -> str:
    return studio.window.findChild(ToastStack).toasts[-1].view.text


def test_that_a_click_on_a_line_selects_and_centres_its_node(coded):
    code, canvas = coded.bench.code, coded.bench.model_page.canvas
    wanted = list(coded.session.graph.nodes)[1]
    canvas.viewport.pan(-3000, -3000)
    QTest.mouseClick(code.text.viewport(), LEFT, pos=line_place(code, 4))
    assert canvas.selected_nodes() == coded.session.selection == (wanted,)
    seen = canvas.viewport.scene_rect(canvas.rect())
    assert seen.contains(canvas.scene.nodes[wanted].rect())


def test_that_selected_nodes_light_up_their_lines(coded, qtbot):
    code, canvas = coded.bench.code, coded.bench.model_page.canvas
    first, second, *_ = coded.session.graph.nodes
    canvas.fit()
    place = canvas.viewport.to_pixel(canvas.scene.nodes[second].rect().center()).toPoint()
    QTest.mouseClick(canvas, LEFT, pos=place)
    qtbot.waitUntil(lambda: code.highlighted_lines() == [4])
    canvas.select((first, second))
    qtbot.waitUntil(lambda: code.highlighted_lines() == [3, 4])
    canvas.select(())
    qtbot.waitUntil(lambda: code.highlighted_lines() == [])


@pytest.mark.real
def test_that_the_whole_source_is_copied_and_saved(coded, tmp_path, qtbot):
    source = coded.session.findings.analysis.source
    coded.bench.actions.action("action.model.copy_code").trigger()
    assert QApplication.clipboard().text() == source
    QTest.mouseClick(coded.window.findChild(QToolButton, "code.save"), LEFT)
    dialog = coded.window.findChild(QFileDialog, "dialog.save_code")
    assert dialog.acceptMode() is QFileDialog.AcceptMode.AcceptSave
    assert dialog.directory().absolutePath() == str(coded.session.project.path.parent)
    path = tmp_path / "我的 model.py"
    dialog.setDirectory(str(tmp_path))
    dialog.selectFile(path.name)
    dialog.accept()
    qtbot.waitUntil(path.exists)
    assert path.read_text(encoding="utf-8") == source
    assert str(path) in toast(coded)
    assert subprocess.run([sys.executable, str(path)], check=False).returncode == 0


def test_that_a_folder_that_cannot_be_written_is_said(coded, tmp_path):
    (tmp_path / "file").write_text("")
    coded.bench.code.findChild(CodeController).save(tmp_path / "file" / "model.py")
    assert str(tmp_path) in toast(coded)


def test_that_without_code_nothing_is_taken_away(coded, host, monkeypatch, qtbot):
    monkeypatch.setattr(host, "analysis", lambda _graph: Analysis())
    coded.services.analyst.ask_again()
    save = coded.window.findChild(QToolButton, "code.save")
    qtbot.waitUntil(lambda: not save.isEnabled())
    for verb in ("copy_code", "save_code"):
        coded.bench.actions.action(f"action.model.{verb}").trigger()
        assert "no code yet" in toast(coded)
    assert coded.window.findChild(QFileDialog, "dialog.save_code") is None
