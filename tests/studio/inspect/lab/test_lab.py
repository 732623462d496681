"""The autograd lab in the window: typed, run, looked at, stopped."""

import time
from concurrent.futures import Future
from threading import Event

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.query.lab.request import RunBackward, RunCode
from engine.runtime.job.lab import LabClient
from studio.inspect.lab.lesson import lessons
from studio.inspect.lab.page import LabPage
from studio.inspect.lab.presenter import present_graph

PATIENCE_MS = 150_000  # the real process loads torch, perhaps on a busy machine
QUICK_MS = 30_000  # what is done in a moment where the machine is not busy
CODE = (
    "a = torch.tensor([1.0, 2.0], requires_grad=True)\nb = a * a\nprint('made')\nloss = b.sum()\n"
)


class SameProcess:
    """Plays the lab's process; what it is asked waits until it is told to answer."""

    def __init__(self) -> None:
        from engine.query.lab.session import LabSession

        self.session = LabSession()
        self.asked: list = []
        self.is_holding = False
        self.held: list = []

    def request(self, request, on_line=lambda _: None):
        self.asked.append(request)
        future: Future = Future()
        if self.is_holding:
            on_line(0)
            on_line(1)
            self.held.append(future)
        else:
            future.set_result(self.session.answer(request))
        return future

    def stop(self) -> None:
        for future in self.held:
            problem = Diagnostic(code="L061", params={"line": 2})
            future.set_exception(DiagnosticError(problem))
        self.held = []

    def close(self) -> None:
        self.stop()


@pytest.fixture
def client(studio) -> SameProcess:
    studio.services.lab.client = SameProcess()
    return studio.services.lab.client


@pytest.fixture
def page(client, opened, qtbot) -> LabPage:
    return show(opened, qtbot)


def show(opened, qtbot) -> LabPage:
    opened.window.show_workspace("inspect")
    inspect = opened.window.page("inspect")
    inspect.show_page("lab")
    found = inspect.findChild(LabPage)
    qtbot.waitUntil(lambda: found.code.lessons.count() > 1, timeout=QUICK_MS)
    return found


def settle(page: LabPage, qtbot, timeout: int = QUICK_MS) -> None:
    qtbot.waitUntil(page.code.run.isEnabled, timeout=timeout)


def type_code(page: LabPage, code: str, qtbot) -> None:
    page.code.editor.edit.setPlainText(code)
    qtbot.keyClick(page.code.editor.edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    settle(page, qtbot)


def choose(page: LabPage, lesson: str, qtbot) -> None:
    page.code.lessons.setCurrentIndex(page.code.lessons.findData(lesson))
    page.code.lessons.activated.emit(page.code.lessons.currentIndex())
    settle(page, qtbot)


def column(page: LabPage, key: str) -> dict[str, object]:
    table = page.tensors.model.table
    index = [each.key for each in table.columns].index(key)
    return {str(row.cells[0]): row.cells[index] for row in table.rows}


def test_that_a_lesson_runs_when_the_lab_is_first_seen_and_own_code_does_not(
    page, client, opened, qtbot
):
    qtbot.waitUntil(lambda: len(page.graph.scene.nodes) > 3)
    assert [type(each) for each in client.asked if isinstance(each, RunCode)] == [RunCode]
    inspect = opened.window.page("inspect")
    inspect.show_page("layers")
    inspect.show_page("lab")
    assert len([each for each in client.asked if isinstance(each, RunCode)]) == 1
    page.code.editor.edit.setPlainText("torch.ones(3)\n")
    page.code.editor.flush()
    client.asked.clear()
    opened.settings.change(language="zh_CN")
    opened.apply_language()  # all pages are built anew
    again = show(opened, qtbot)
    assert again is not page
    assert again.code.editor.text() == "torch.ones(3)\n"
    assert not client.asked


@pytest.mark.row("S001", "S036", "S041")
def test_that_typed_code_shows_its_tensors_graph_and_output(page, qtbot):
    type_code(page, CODE, qtbot)
    assert column(page, "value") == {"a": "[1., 2.]", "b": "[1., 4.]", "loss": "5"}
    assert column(page, "leaf") == {"a": True, "b": False, "loss": False}
    assert column(page, "grad_fn")["b"] == "MulBackward0"
    assert "made" in page.code.output.toPlainText()
    qtbot.waitUntil(lambda: len(page.graph.scene.nodes) == 3, timeout=QUICK_MS)
    assert {each.title for each in (item.view for item in page.graph.scene.nodes.values())} == {
        "a", "b", "loss",
    }  # fmt: skip
    page.tensors.select_ids(("a",))
    told = {str(row.cells[0]): row.cells[1] for row in page.details.model.table.rows}
    assert told["stride()"] == "(1,)"
    assert told["is_leaf"] == "True"


def severities(page: LabPage) -> set[str | None]:
    return {item.view.severity for item in page.graph.scene.nodes.values()}


@pytest.mark.row("S037", "S038", "S044", "S045", "S315")
def test_that_backward_adds_keeps_zeroes_and_explains_the_second_time(page, client, qtbot):
    type_code(page, CODE, qtbot)
    page.backward.retain.click()
    for expected in ("[2., 4.]", "[4., 8.]"):
        qtbot.mouseClick(page.backward.backward, Qt.MouseButton.LeftButton)
        settle(page, qtbot)
        assert column(page, "grad")["a"] == expected
    page.backward.gradients.setCurrentIndex(1)
    page.backward.retain.click()
    qtbot.mouseClick(page.backward.backward, Qt.MouseButton.LeftButton)
    settle(page, qtbot)
    assert column(page, "grad")["a"] == "[2., 4.]"
    qtbot.waitUntil(
        lambda: any("gradient 1" in item.view.lines for item in page.graph.scene.nodes.values())
    )
    qtbot.mouseClick(page.backward.backward, Qt.MouseButton.LeftButton)
    settle(page, qtbot)
    assert "Keep graph" in page.code.state.text()
    qtbot.waitUntil(lambda: {"warning", None} == severities(page))  # leaves keep nothing
    type_code(page, CODE, qtbot)
    qtbot.waitUntil(lambda: severities(page) == {None})
    page.backward.root.setCurrentText("b")
    page.backward.root.activated.emit(0)
    page.backward.gradient.setText("[1., 2.]")
    qtbot.keyClick(page.backward.gradient, Qt.Key.Key_Return)
    settle(page, qtbot)
    assert isinstance(client.asked[-1], RunBackward)
    assert column(page, "grad")["a"] == "[2., 8.]"


@pytest.mark.row("S036", "S041", "S046")
def test_that_switches_run_the_code_again(page, client, qtbot):
    type_code(page, CODE, qtbot)
    page.tensors.select_ids(("b",))
    assert not page.switches["requires_grad"].isEnabled()
    page.switches["retain_grad"].click()
    settle(page, qtbot)
    assert client.asked[-1].retain_grad == ("b",)
    qtbot.mouseClick(page.backward.backward, Qt.MouseButton.LeftButton)
    settle(page, qtbot)
    assert column(page, "grad")["b"] == "[1., 1.]"
    page.tensors.select_ids(("a",))
    page.switches["requires_grad"].click()
    settle(page, qtbot)
    assert not column(page, "requires_grad")["loss"]
    assert not page.backward.backward.isEnabled()
    page.switches["requires_grad"].click()
    page.code.no_grad.click()
    settle(page, qtbot)
    assert column(page, "requires_grad") == {"a": True, "b": False, "loss": False}
    page.show_view("graph")
    qtbot.waitUntil(page.no_graph.isVisible)
    page.code.no_grad.click()
    qtbot.waitUntil(lambda: not page.no_graph.isVisible())
    type_code(page, "with torch.inference_mode():\n    x = torch.ones(1)\n", qtbot)
    assert column(page, "version") == {"x": None}  # PyTorch counts none for it


@pytest.mark.row("S014", "S323")
def test_that_a_mistake_is_marked_at_its_line_and_explained(page, qtbot):
    type_code(page, "x = torch.arange(6).reshape(2, 3)\ny = x.t()\ny.view(6)\n", qtbot)
    marks = page.code.editor.edit.marks()
    assert [(mark.line, mark.severity) for mark in marks] == [(3, "error")]
    assert "contiguous" in page.code.state.text()
    assert "view size is not compatible" in page.code.state.text()
    assert set(column(page, "value")) == {"x", "y"}
    type_code(page, "x = 1\n", qtbot)
    assert not page.code.editor.edit.marks()


def test_that_output_stays_for_backward_and_goes_with_the_next_run(page, qtbot):
    type_code(page, CODE, qtbot)
    qtbot.mouseClick(page.backward.backward, Qt.MouseButton.LeftButton)
    settle(page, qtbot)
    assert "made" in page.code.output.toPlainText()
    type_code(page, CODE.replace("print('made')\n", ""), qtbot)
    assert page.code.output.toPlainText() == ""


@pytest.mark.row("S022", "S024", "S012", "S029")
def test_that_lessons_open_their_view_with_cells_from_pytorch(page, qtbot):
    choose(page, "einsum", qtbot)
    view = page.views["einsum"]
    qtbot.waitUntil(lambda: bool(view.grid.blocks()))
    rows = view.grid.blocks()[0].rows
    assert [[(cell.text, cell.caption) for cell in row.cells] for row in rows] == [
        [("i", "2"), ("j", "3")],
        [("j", "3"), ("k", "4")],
        [("i", "2"), ("k", "4")],
    ]
    view.fields[0].setText("ij,kj->ik")
    qtbot.keyClick(view.fields[0], Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: view.grid.blocks() == ())
    assert view.message.property("role") == "error"
    choose(page, "broadcasting", qtbot)
    qtbot.waitUntil(lambda: bool(page.views["broadcast"].grid.blocks()))
    result = page.views["broadcast"].grid.blocks()[0].rows[-1]
    assert [cell.text for cell in result.cells] == ["3", "4"]
    choose(page, "slicing", qtbot)
    qtbot.waitUntil(lambda: bool(page.views["index"].grid.blocks()))
    marked = [cell for row in page.views["index"].grid.blocks()[0].rows for cell in row.cells]
    assert [cell.text for cell in marked if cell.tone == "chosen"] == ["4", "6", "8", "10"]
    choose(page, "storage", qtbot)
    memory = page.views["memory"]
    memory.choice.setCurrentText("b")
    memory.choice.activated.emit(0)
    cells = memory.grid.blocks()[1].rows[0].cells
    assert [cell.tone for cell in cells] == ["muted"] * 2 + ["chosen"] * 3
    assert list(page.tensors.selected_ids()) == ["b"]


def test_that_a_function_of_the_graph_chooses_its_tensor(page, qtbot):
    type_code(page, CODE, qtbot)
    page.show_view("graph")
    qtbot.waitUntil(lambda: len(page.graph.scene.nodes) == 3, timeout=QUICK_MS)
    item = next(each for each in page.graph.scene.nodes.values() if each.view.title == "a")
    place = page.graph.viewport.pixel_rect(item.rect()).center()
    pixel = QPoint(round(place.x()), round(place.y()))
    qtbot.mouseClick(page.graph, Qt.MouseButton.LeftButton, pos=pixel)
    assert list(page.tensors.selected_ids()) == ["a"]


@pytest.mark.row("S002")
def test_that_grad_fn_and_its_next_functions_are_shown_in_the_graph(page, qtbot, monkeypatch):
    def draw_late(report, room):
        time.sleep(0.1)  # the links can be followed before there is a picture
        return present_graph(report, room)

    monkeypatch.setattr("studio.inspect.lab.controller.present_graph", draw_late)
    type_code(page, CODE + "other = (a + 1).sum()\n", qtbot)
    page.backward.root.setCurrentText("loss")
    page.backward.root.activated.emit(0)
    settle(page, qtbot)
    for chosen, attribute, shown in (
        ("loss", "grad_fn.next_functions", {"b"}),  # in the graph that is drawn
        ("other", "grad_fn", {"other"}),  # in another, which is asked for
        ("other", "grad_fn.next_functions", {"add"}),
    ):
        page.show_view("tensors")
        page.tensors.select_ids((chosen,))
        page.details.row_activated.emit(attribute)

        def titles() -> set[str]:
            nodes = page.graph.scene.nodes
            return {nodes[key].view.title for key in page.graph.selected_nodes()}

        qtbot.waitUntil(lambda wanted=shown: titles() == wanted)
        assert page.tabs.currentWidget() is page.graph
    page.tensors.select_ids(("a",))
    assert titles() == {"a"}


def test_that_what_was_asked_for_while_code_ran_follows_though_that_code_failed(
    page, client, qtbot
):
    client.is_holding = True
    qtbot.mouseClick(page.code.run, Qt.MouseButton.LeftButton)
    assert page.code.state.text() == "Starting…"
    qtbot.waitUntil(lambda: page.code.state.text() == "Running…")
    page.code.editor.edit.setPlainText("late = torch.ones(1)\n")
    control = Qt.KeyboardModifier.ControlModifier
    qtbot.keyClick(page.code.editor.edit, Qt.Key.Key_Return, control)
    client.is_holding = False
    client.stop()  # as a crash would end it
    qtbot.waitUntil(lambda: column(page, "value") == {"late": "[1.]"})
    assert "Finished" in page.code.state.text()


def test_that_run_waits_for_the_lesson_to_be_there(client, opened, qtbot, monkeypatch):
    is_read = Event()
    monkeypatch.setattr(opened.services.lab, "read", lambda: is_read.wait() and None)
    opened.window.show_workspace("inspect")
    opened.window.page("inspect").show_page("lab")
    page = opened.window.findChild(LabPage)
    try:
        qtbot.mouseClick(page.code.run, Qt.MouseButton.LeftButton)
        assert client.asked == []
    finally:
        is_read.set()
    qtbot.waitUntil(lambda: bool(column(page, "value")))
    (asked,) = [each for each in client.asked if isinstance(each, RunCode)]
    assert asked.code == page.code.editor.text() != ""


def test_that_what_is_typed_stays_over_lessons_language_and_sessions(page, opened, qtbot):
    choose(page, "leaves", qtbot)
    type_code(page, CODE, qtbot)
    assert page.code.reset.isEnabled()
    choose(page, "hooks", qtbot)
    assert page.code.editor.text() == lessons()["hooks"].source
    page.code.editor.edit.undo()
    assert page.code.editor.text() == lessons()["hooks"].source  # nothing of another lesson
    choose(page, "leaves", qtbot)
    assert page.code.editor.text() == CODE
    opened.services.settings.change(language="zh_CN")
    opened.apply_language()
    while opened.window.build_pages(1.0):
        pass
    again = show(opened, qtbot)
    assert again.code.editor.text() == CODE
    assert again.code.lessons.currentText() == lessons()["leaves"].title["zh_CN"]
    qtbot.waitUntil(lambda: opened.services.lab.read() == opened.services.lab.drafts)
    qtbot.mouseClick(again.code.reset, Qt.MouseButton.LeftButton)
    assert again.code.editor.text() == lessons()["leaves"].source


def test_that_what_was_typed_last_is_kept_where_the_program_ends_at_once(page, opened):
    page.code.editor.edit.setPlainText("last = 1\n")  # and no pause after it
    opened.services.lab.keep()
    drafts = opened.services.lab.read()
    assert drafts.texts[drafts.lesson] == "last = 1\n"


def test_that_stop_and_restart_say_what_happened_and_the_late_answer_is_dropped(
    page, client, qtbot
):
    client.is_holding = True
    qtbot.mouseClick(page.code.run, Qt.MouseButton.LeftButton)
    assert not page.code.run.isEnabled()
    assert not page.backward.backward.isEnabled()
    qtbot.mouseClick(page.code.stop, Qt.MouseButton.LeftButton)
    settle(page, qtbot)
    assert "Line 2" in page.code.state.text()
    assert [mark.line for mark in page.code.editor.edit.marks()] == [2]
    qtbot.mouseClick(page.code.run, Qt.MouseButton.LeftButton)
    client.is_holding = False
    qtbot.mouseClick(page.code.restart, Qt.MouseButton.LeftButton)
    settle(page, qtbot)
    assert isinstance(client.asked[-1], RunCode)
    assert column(page, "value")
    assert "Finished" in page.code.state.text()


@pytest.mark.real
@pytest.mark.fault("F13")
@pytest.mark.timeout(300)
def test_that_an_endless_loop_and_a_crash_leave_the_window_alive(studio, opened, qtbot):
    assert isinstance(studio.services.lab.client, LabClient)
    page = show(opened, qtbot)
    settle(page, qtbot, PATIENCE_MS)  # the first lesson ran
    page.code.editor.edit.setPlainText("x = 1\nwhile True:\n    x += 1\n")
    qtbot.mouseClick(page.code.run, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.code.editor.edit.highlighted_lines() == [2], timeout=PATIENCE_MS)
    page.show_view("graph")
    qtbot.mouseClick(page.code.stop, Qt.MouseButton.LeftButton)
    settle(page, qtbot)
    assert "Line 2" in page.code.state.text()
    page.code.editor.edit.setPlainText("import os\nos.abort()\n")
    qtbot.mouseClick(page.code.run, Qt.MouseButton.LeftButton)
    settle(page, qtbot, PATIENCE_MS)
    assert "ended unexpectedly" in page.code.state.text()
    page.code.editor.edit.setPlainText("a = torch.ones(2)\n")
    qtbot.mouseClick(page.code.restart, Qt.MouseButton.LeftButton)
    settle(page, qtbot, PATIENCE_MS)
    assert column(page, "value") == {"a": "[1., 1.]"}


@pytest.mark.row("S009")
@pytest.mark.parametrize("way", ["share", "copy"])
def test_that_an_array_is_imported_to_share_its_memory_or_as_a_copy(page, qtbot, tmp_path, way):
    file = tmp_path / "my rows.npy"
    np.save(file, np.ones(3))
    type_code(page, "x = torch.zeros(2)\n", qtbot)
    page.code.findChild(QAction, f"lab.array.{way}").trigger()
    dialog = page.window().findChild(QFileDialog, "dialog.lab.array")
    dialog.fileSelected.emit(str(file))
    dialog.reject()
    settle(page, qtbot)
    code = page.code.editor.text()
    assert code.startswith("x = torch.zeros(2)\nimport numpy as np\narray = np.load(")
    type_code(page, code + "my_rows.add_(1)\narray\n", qtbot)
    changed = "array([2., 2., 2.])" if way == "share" else "array([1., 1., 1.])"
    assert changed in page.code.output.toPlainText()
    rows = {row.id: row for row in page.tensors.model.table.rows}
    assert rows["my_rows"].icon == ("warning" if way == "share" else "")
    assert rows["x"].icon == ""
    page.tensors.select_ids(("my_rows",))
    told = {str(row.cells[0]): row.cells[1] for row in page.details.model.table.rows}
    assert told.get("shares memory with") == ("array (NumPy array)" if way == "share" else None)


def test_that_an_array_that_cannot_be_read_is_told_at_its_line(page, qtbot, tmp_path):
    file = tmp_path / "torn.npy"
    file.write_bytes(b"no array")
    page.code.findChild(QAction, "lab.array.share").trigger()
    dialog = page.window().findChild(QFileDialog, "dialog.lab.array")
    dialog.fileSelected.emit(str(file))
    dialog.reject()
    settle(page, qtbot)
    assert page.code.state.property("role") == "error"
