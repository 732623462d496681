"""Own code in the whole window: written, checked, used, renamed, undone."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton, QSplitter, QToolButton

from engine.diagnostics import Diagnostic
from studio.view.recipe import RecipeState, present_train_form
from studio.view.run import series_label

CTRL = Qt.KeyboardModifier.ControlModifier
NO_KEYS = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def page(opened, qtbot):
    opened.window.show_workspace("model")
    opened.window.activateWindow()
    qtbot.waitUntil(opened.bench.model_page.canvas.isVisible)
    return opened.bench.model_page.own_code


def trigger(opened, verb: str, menu: str = "code") -> None:
    action = opened.bench.actions.action(f"action.{menu}.{verb}")
    assert action.isEnabled(), verb
    action.trigger()


def write(opened, page, qtbot, text: str) -> None:
    """Type a text over what the editor shows, and wait until the project has it."""
    editor = page.editor()
    editor.edit.setFocus()
    qtbot.waitUntil(editor.edit.hasFocus)
    editor.edit.selectAll()
    QTest.keyClick(editor.edit, Qt.Key.Key_Delete)
    for at, line in enumerate(text.split("\n")):
        if at:
            QTest.keyClick(editor.edit, Qt.Key.Key_Return)
            QTest.keyClick(editor.edit, Qt.Key.Key_Home, Qt.KeyboardModifier.ShiftModifier)
            QTest.keyClick(editor.edit, Qt.Key.Key_Delete)
        QTest.keyClicks(editor.edit, line)
        editor.edit.offer.hide()
    QTest.keyClick(editor.edit, Qt.Key.Key_Return, CTRL)


def test_that_a_new_layer_stands_in_the_palette_and_on_the_canvas(opened, page, qtbot):
    trigger(opened, "show")
    assert page.isVisible()
    button = page.findChild(QPushButton, "own.empty.action")
    qtbot.waitUntil(button.isVisible)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert "class Centered(nn.Module)" in opened.session.graph.code["layers.py"]
    qtbot.waitUntil(lambda: page.current_file() == "layers.py")
    assert "Centered" in page.findChild(QLabel, "own.state").text()
    qtbot.waitUntil(lambda: "code.layers.Centered" in {e.key for e in opened.bench.model.offered})
    opened.bench.palette.add_requested.emit("code.layers.Centered")
    types = [node.type for node in opened.session.graph.nodes.values()]
    assert "code.layers.Centered" in types
    opened.session.undo()
    opened.session.undo()
    assert opened.session.graph.code == {}
    qtbot.waitUntil(lambda: page.current_file() == "")


def test_that_what_is_typed_is_one_step_of_undo_and_the_cursor_stays(opened, page, qtbot):
    trigger(opened, "new_functions")
    before = opened.session.graph.code["functions.py"]
    editor = page.editor()
    editor.edit.setFocus()
    qtbot.waitUntil(editor.edit.hasFocus)
    editor.go_to(3, 1)
    QTest.keyClicks(editor.edit, "# one ")
    qtbot.waitUntil(lambda: "# one" in opened.session.graph.code["functions.py"])
    QTest.keyClicks(editor.edit, "two")
    qtbot.waitUntil(lambda: "# one two" in opened.session.graph.code["functions.py"])
    assert editor.place() == (3, 10)
    opened.session.undo()
    assert opened.session.graph.code["functions.py"] == before
    qtbot.waitUntil(lambda: editor.text() == before)


def test_that_saving_takes_what_was_typed_a_moment_ago(opened, page, qtbot):
    trigger(opened, "new_empty")
    editor = page.editor()
    editor.edit.setFocus()
    qtbot.waitUntil(editor.edit.hasFocus)
    QTest.keyClicks(editor.edit, "# last words ")
    trigger(opened, "save", "file")
    file = opened.session.project.path / "code" / "mine.py"
    assert file.read_text().startswith("# last words ")


def test_that_an_error_of_syntax_is_marked_at_its_line_while_the_file_is_kept(opened, page, qtbot):
    trigger(opened, "new_empty")
    write(opened, page, qtbot, "a = 1\nb = (\n")
    assert opened.session.graph.code["mine.py"] == "a = 1\nb = (\n"
    qtbot.waitUntil(lambda: [mark.line for mark in page.editor().edit.marks()] == [2])
    assert "“mine.py”" in page.findChild(QLabel, "own.state").text()
    write(opened, page, qtbot, "def half(x):\n    return x / 2\n")
    qtbot.waitUntil(lambda: page.editor().edit.marks() == [])
    qtbot.waitUntil(lambda: "half" in page.findChild(QLabel, "own.state").text())


def test_that_a_renamed_file_takes_its_nodes_along(opened, page, qtbot):
    trigger(opened, "new_layers")
    opened.bench.palette.add_requested.emit("code.layers.Centered")
    trigger(opened, "rename")
    field = page.findChild(QLineEdit, "own.files.name")
    qtbot.waitUntil(field.isVisible)
    field.selectAll()
    QTest.keyClicks(field, "centering")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert list(opened.session.graph.code) == ["centering.py"]
    types = {node.type for node in opened.session.graph.nodes.values()}
    assert "code.centering.Centered" in types
    assert page.current_file() == "centering.py"


def test_that_a_file_in_use_is_not_removed_and_another_is(opened, page, qtbot):
    trigger(opened, "new_layers")
    opened.bench.palette.add_requested.emit("code.layers.Centered")
    trigger(opened, "remove")
    assert "layers.py" in opened.session.graph.code
    trigger(opened, "new_empty")
    trigger(opened, "remove")
    assert list(opened.session.graph.code) == ["layers.py"]


def test_that_a_double_click_on_a_node_opens_its_class(opened, page, qtbot):
    trigger(opened, "new_layers")
    canvas = opened.bench.model_page.canvas
    opened.bench.palette.add_requested.emit("code.layers.Centered")
    (node,) = [n.id for n in opened.session.graph.nodes.values() if n.type.startswith("code.")]
    trigger(opened, "show")
    assert not page.isVisible()
    qtbot.waitUntil(lambda: node in canvas.scene.nodes)
    opened.bench.model.show_node(node)
    box = canvas.scene.nodes[node].rect()
    box.setTop(box.center().y())  # below the title
    place = canvas.viewport.to_pixel(box.center()).toPoint()
    QTest.mouseDClick(canvas, Qt.MouseButton.LeftButton, NO_KEYS, place)
    assert page.isVisible()
    line = page.editor().place()[0]
    assert page.editor().text().splitlines()[line - 1].startswith("class Centered")


@pytest.mark.nightly
def test_that_the_code_can_have_all_the_room_and_gives_it_back(opened, page, qtbot):
    trigger(opened, "new_layers")
    place = opened.bench.model_page
    if place.is_wide:
        trigger(opened, "wide")
    assert place.canvas.isVisible()
    QTest.mouseClick(page.findChild(QToolButton, "own.wide"), Qt.MouseButton.LeftButton)
    assert not place.canvas.isVisible()
    opened.bench.model.show_node(next(iter(opened.session.graph.nodes)))
    assert place.canvas.isVisible()
    QTest.mouseClick(page.findChild(QToolButton, "own.close"), Qt.MouseButton.LeftButton)
    assert not page.isVisible()


def test_that_names_of_pytorch_and_of_the_files_are_offered(opened, page, qtbot):
    trigger(opened, "new_layers")
    editor = page.editor()
    editor.edit.setFocus()
    qtbot.waitUntil(editor.edit.hasFocus)
    QTest.keyClicks(editor.edit, "x = nn.Conv2")
    qtbot.waitUntil(editor.edit.offer.isVisible)
    assert editor.edit.offer.names() == ["Conv2d"]
    QTest.keyClick(editor.edit, Qt.Key.Key_Tab)
    assert editor.text().startswith("x = nn.Conv2d")


@pytest.mark.nightly
def test_that_the_language_changes_under_an_open_file(opened, page, qtbot):
    trigger(opened, "new_layers")
    opened.settings.change(language="zh_CN")
    opened.apply_language()
    trigger(opened, "show")
    again = opened.bench.model_page.own_code
    assert again is not page
    assert again.current_file() == "layers.py"
    assert again.findChild(QToolButton, "own.close").toolTip() == "关闭编辑器；文件保留"


def test_that_a_loss_and_a_metric_of_a_file_can_be_chosen_in_the_recipe(opened, page, qtbot):
    trigger(opened, "new_losses")
    state = RecipeState(spec=opened.session.spec, graph=opened.session.graph)
    form = present_train_form(state)
    (loss,) = [f for g in form.groups for f in g.fields if f.name == "losses.0.loss"]
    assert ("code.losses.LogCosh", "LogCosh") in loss.choices
    opened.services.editor.set("losses.0.loss", "code.losses.LogCosh")
    assert opened.session.spec.losses[0].loss.type == "code.losses.LogCosh"
    state = RecipeState(spec=opened.session.spec, graph=opened.session.graph)
    names = [f.name for g in present_train_form(state).groups for f in g.fields]
    assert "losses.0.loss.scale" in names
    editor = opened.services.editor
    editor.set("losses.0.loss.scale", "abc")
    ((name, text, reason),) = editor.rejections()
    assert (name, text) == ("losses.0.loss.scale", "abc")
    assert "losses.0" not in reason  # it is called as the form calls it
    assert "Scale" in reason
    trigger(opened, "new_metrics")
    state = RecipeState(spec=opened.session.spec, graph=opened.session.graph)
    fields = {f.name: f for g in present_train_form(state).groups for f in g.fields}
    name = "metrics.Confidence"
    assert (name, name) in fields["metrics"].choices
    editor.set("metrics", f"auto, {name}")
    editor.set("checkpoint.monitor", f"validation.{name}")
    checkpoint = opened.session.spec.checkpoint
    assert (checkpoint.monitor, checkpoint.mode) == (f"validation.{name}", "max")
    assert series_label(checkpoint.monitor) == f"validation {name}"
    opened.bench.own_code.editor.rename("metrics.py", "scores")
    assert opened.session.spec.metrics == ("auto", "scores.Confidence")
    trigger(opened, "remove")
    opened.bench.own_code.editor.rename("losses.py", "own_losses")
    assert opened.session.spec.losses[0].loss.type == "code.own_losses.LogCosh"
    trigger(opened, "remove")
    assert list(opened.session.graph.code) == ["own_losses.py", "scores.py"], "both are in use"


def test_that_a_problem_leads_to_its_line(opened, page, host, qtbot):
    trigger(opened, "new_layers")
    line = (
        opened.session.graph.code["layers.py"]
        .splitlines()
        .index("    def forward(self, x: Tensor) -> Tensor:")
    )
    problem = Diagnostic(
        code="U014",
        params={"file": "layers.py", "line": line + 1, "name": "n", "error": "E", "reason": "r"},
    )
    host.problems = (problem,)
    opened.services.analyst.ask_again()
    qtbot.waitUntil(lambda: page.editor().edit.marks_at(line + 1) != [])
    trigger(opened, "show")
    opened.bench.panels.show_problem(problem)
    assert page.isVisible()
    assert page.editor().place()[0] == line + 1


@pytest.mark.nightly
def test_that_a_renamed_file_can_still_be_undone_in_its_editor(opened, page, qtbot):
    trigger(opened, "new_empty")
    editor = page.editor()
    editor.edit.setFocus()
    qtbot.waitUntil(editor.edit.hasFocus)
    before = editor.text()
    QTest.keyClicks(editor.edit, "# typed ")
    opened.bench.own_code.editor.rename("mine.py", "other.py")
    assert page.editor() is editor
    editor.edit.undo()
    editor.flush()
    assert opened.session.graph.code == {"other.py": before}


@pytest.mark.nightly
def test_that_canvas_and_code_have_the_room_that_they_had(opened, page, qtbot):
    opened.window.resize(1900, 900)
    trigger(opened, "show")
    splitter = opened.window.findChild(QSplitter, "model.splitter")
    qtbot.waitUntil(lambda: not opened.bench.model_page.is_wide and splitter.width() > 1000)
    handle = splitter.handle(1)
    QTest.mousePress(handle, Qt.MouseButton.LeftButton, NO_KEYS, QPoint(0, 100))
    QTest.mouseMove(handle, QPoint(150, 100))
    QTest.mouseRelease(handle, Qt.MouseButton.LeftButton, NO_KEYS, QPoint(150, 100))
    sizes = splitter.sizes()
    assert abs(sizes[0] - sizes[1]) > 50  # not the halves it begins with
    trigger(opened, "show")
    trigger(opened, "show")
    assert splitter.sizes() == sizes
    assert opened.settings.value.splitters["model.splitter"] == tuple(sizes)
