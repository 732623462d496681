"""The whole window without torch: what the user can reach, what it says, how it is left."""

import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QDialog,
    QLineEdit,
    QMenu,
    QWidget,
)

from engine.diagnostics import Diagnostic
from engine.graph.edit.edits import AddNode
from engine.graph.model import Node
from engine.project import Project
from engine.query.model.request import Analyse
from studio.app.features import commands
from studio.inspect.feature import PAGES as INSPECT_PAGES
from tests.named_parts import part_of_kind
from widgets.common.command_palette import CommandPalette

ROOT = Path(__file__).parents[3]
CONTROLS = (QAbstractButton, QComboBox, QLineEdit)


def relu(name: str) -> AddNode:
    return AddNode(node=Node(id=name, type="ReLU", name=name))


def test_that_every_control_has_a_name_for_tests_and_one_for_people(opened, qtbot):
    """Those that are hidden now too: a screen reader meets them when they are shown."""
    nameless = []
    for name in ("model", "data", "train", "inspect", "runs", "export"):
        opened.window.show_workspace(name)
    for page in INSPECT_PAGES:
        opened.window.page("inspect").build_page(page)
    opened.notifications.tell("said", "hint")
    empty = opened.window.findChild(QAbstractButton, "runs.empty.action")
    qtbot.waitUntil(lambda: bool(empty.text()))  # when runs have been looked for
    for widget in opened.window.findChildren(QWidget):
        if isinstance(widget, CONTROLS) and not widget.objectName().startswith("qt_"):
            owner = type(widget.parentWidget()).__name__
            if owner in ("QTabBar", "QDockWidget", "QToolBar", "QMenuBar", "QDockWidgetTitle"):
                continue
            if isinstance(widget.parentWidget(), QComboBox | QLineEdit):
                continue
            if not widget.objectName() or not (widget.accessibleName() or _text(widget)):
                nameless.append((owner, type(widget).__name__, widget.objectName()))
    assert nameless == []


def _text(widget) -> str:
    return widget.text() if isinstance(widget, QAbstractButton) else ""


PUBLIC = """
mainWindow workspace.model workspace.data workspace.train workspace.inspect workspace.runs
workspace.export
palette palette.search canvas inspector problems log code
train.start train.pause train.step train.stop train.progress chart.loss chart.metric
runs.table export.format export.save
""".split()  # noqa: SIM905  # a list would be one name a line


def test_that_the_public_object_names_are_there_once_each(built):
    widgets = [built.window, *built.window.findChildren(QWidget)]
    names = [widget.objectName() for widget in widgets]
    assert {name: names.count(name) for name in PUBLIC} == dict.fromkeys(PUBLIC, 1)


def test_that_every_command_is_in_its_menu_under_its_public_name(opened):
    found = {
        action.objectName(): action
        for menu in opened.window.menuBar().findChildren(QMenu)
        for action in menu.actions()
        if action.objectName()
    }
    assert {command.id for command in commands()} <= found.keys()
    assert all(re.fullmatch(r"action\.[a-z]+\.[a-z0-9_]+", name) for name in found)


def test_that_a_click_on_a_workspace_shows_it(opened, qtbot):
    for name in ("data", "train", "inspect", "runs", "export", "model"):
        button = opened.window.findChild(QAbstractButton, f"workspace.{name}")
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        assert opened.window.page(name).isVisible()


def test_that_ctrl_k_finds_every_command_by_its_title(opened):
    opened.bench.actions.action("action.view.commands").trigger()
    palette = part_of_kind(opened.window, CommandPalette)
    assert palette.isVisible()
    entries = opened.bench.help.command_entries()
    assert {entry.id for entry in entries} == {command.id for command in commands()}
    for entry in entries:
        palette.open_with(entries, entry.title.rstrip("…"))
        assert entry.id in palette.shown_ids()


def test_that_undo_in_the_window_brings_a_deleted_node_back(opened):
    names = list(opened.session.graph.nodes)
    opened.bench.model.select_all()
    opened.bench.actions.action("action.edit.delete").trigger()
    assert not opened.session.graph.nodes
    opened.bench.actions.action("action.edit.undo").trigger()
    assert list(opened.session.graph.nodes) == names


def test_that_copy_and_paste_make_nodes_with_new_names(opened, qtbot):
    first = next(iter(opened.session.graph.nodes))
    opened.bench.model.show_node(first)
    opened.bench.actions.action("action.edit.copy").trigger()
    before = len(opened.session.graph.nodes)
    opened.bench.actions.action("action.edit.paste").trigger()
    assert len(opened.session.graph.nodes) == before + 1
    assert opened.session.is_modified


def test_that_a_late_analysis_of_an_older_graph_is_dropped(opened, host, qtbot):
    host.is_holding = True
    opened.session.edit(relu("first"), "add")
    opened.session.edit(relu("second"), "add")
    analyses = [held for held in host.held if isinstance(held[0], Analyse)]
    for request, future in reversed(analyses):
        host.answer(request, future)
    qtbot.waitUntil(lambda: opened.session.findings.is_current)
    qtbot.wait(20)
    assert {"first", "second"} <= opened.session.findings.analysis.nodes.keys()


def test_that_errors_disable_start_and_give_the_reason_in_the_tooltip(built, host, qtbot):
    host.problems = (Diagnostic(code="G004", field="optimizer.lr", params={"name": "x"}),)
    built.session.edit(relu("extra"), "add")
    qtbot.waitUntil(lambda: bool(built.session.findings.errors))
    start = built.window.findChild(QAbstractButton, "train.start")
    qtbot.waitUntil(lambda: not start.isEnabled())
    assert "x" in start.toolTip()
    action = built.bench.actions.action("action.run.start")
    qtbot.waitUntil(lambda: not action.isEnabled())


def test_that_a_problem_leads_to_its_node(opened, host, qtbot):
    name = list(opened.session.graph.nodes)[1]
    host.problems = (Diagnostic(code="G004", node=name, params={"name": "x"}),)
    opened.session.edit(relu("extra"), "add")
    qtbot.waitUntil(lambda: bool(opened.session.findings.errors))
    opened.window.show_workspace("train")
    opened.bench.panels.show_problem(opened.session.findings.errors[0])
    assert opened.window.workspace == "model"
    assert opened.session.selection == (name,)


@pytest.mark.row("P04")
def test_that_a_problem_is_mended_by_its_button_and_one_undo_takes_it_back(opened, host, qtbot):
    layer = Node(id="fc", type="Linear", name="fc", params={"in_features": 9, "out_features": 3})
    host.problems = (Diagnostic(code="S004", node="fc", field="in_features"),)
    opened.session.edit(AddNode(node=layer), "add")
    qtbot.waitUntil(lambda: bool(opened.session.findings.errors))
    problems = opened.window.findChild(QAbstractItemView, "problems")
    fix = opened.window.findChild(QAbstractButton, "problems.fix")
    qtbot.waitUntil(lambda: problems.model().rowCount() > 0)
    problems.setCurrentIndex(problems.model().index(0, 0))
    qtbot.waitUntil(lambda: fix.isVisible() and fix.width() > 0)
    assert fix.accessibleDescription() == "Set in_features of “fc” to auto"
    qtbot.mouseClick(fix, Qt.MouseButton.LeftButton)
    assert opened.session.graph.nodes["fc"].params["in_features"] == "auto"
    opened.session.undo()
    assert opened.session.graph.nodes["fc"].params["in_features"] == 9


def test_that_the_inputs_follow_the_choice_of_data_and_one_undo_takes_both_back(opened, qtbot):
    session = opened.session
    before = session.document
    opened.services.editor.set("data.source", "iris")
    qtbot.waitUntil(lambda: any(
        node.params.get("shape") == (4,) for node in session.graph.nodes.values()
    ))  # fmt: skip
    assert "data.species" in session.spec.losses[0].inputs.values()
    session.undo()
    assert session.document == before


def test_that_what_cannot_be_taken_is_shown_at_its_field_and_not_taken(opened, qtbot):
    editor = opened.services.editor
    for text in ("-1", "nan", "abc", "1,5", ""):
        editor.set("epochs", text)
        assert opened.session.spec.epochs > 0
        assert editor.rejections()[0][:2] == ("epochs", text)
    editor.set("epochs", "3")
    assert opened.session.spec.epochs == 3
    assert editor.rejections() == ()


def test_that_the_language_changes_at_run_time_and_back(opened, qtbot):
    opened.session.edit(relu("kept"), "add")
    before = opened.session.document
    for code, word in (("zh_CN", "模型"), ("en", "Model")):
        opened.settings.change(language=code)
        opened.apply_language()
        button = opened.window.findChild(QAbstractButton, "workspace.model")
        qtbot.waitUntil(
            lambda word=word: any(
                b.text() == word
                for b in opened.window.findChildren(QAbstractButton, "workspace.model")
            )
        )
        assert button is not None
    assert opened.session.document == before
    assert opened.session.can_undo


def test_that_leaving_with_changes_asks_and_every_answer_does_what_it_says(opened, qtbot):
    opened.session.edit(relu("extra"), "add")
    left = []
    opened.bench.leaving.leave_then(lambda: left.append("cancel"))
    question = opened.window.findChild(QDialog, "question.unsaved")
    question.reject()
    assert left == []
    qtbot.waitUntil(lambda: opened.window.findChild(QDialog, "question.unsaved") is None)
    opened.bench.leaving.leave_then(lambda: left.append("save"))
    question = opened.window.findChild(QDialog, "question.unsaved")
    question.findChild(QAbstractButton, "question.unsaved.save").click()
    assert left == ["save"]
    assert "extra" in Project.open(opened.session.project.path).graph.nodes
    assert not opened.session.is_modified


def test_that_unsaved_work_is_kept_beside_the_project_and_offered(opened, qtbot):
    opened.session.edit(relu("extra"), "add")
    opened.bench.project.autosave()
    path = opened.session.project.path
    opened.bench.project.open(path)
    assert "extra" not in opened.session.graph.nodes
    assert opened.window.banner.view.key == "recovery"
    opened.window.banner.view.actions[0][1]()
    assert "extra" in opened.session.graph.nodes
    assert opened.session.can_undo


def test_that_a_change_of_theme_is_shown_at_once(opened):
    from widgets.common.theme import current_theme

    opened.bench.actions.action("action.view.theme_dark").trigger()
    assert current_theme().is_dark
    opened.bench.actions.action("action.view.theme_light").trigger()
    assert not current_theme().is_dark


def test_that_the_layout_is_kept_and_taken_up(opened):
    opened.window.show_workspace("model")
    opened.bench.actions.action("action.view.palette").trigger()
    assert not opened.window.is_dock_shown("palette")
    assert "palette" in opened.settings.value.docks["model"]
    opened.window.reset_layout()
    assert opened.window.is_dock_shown("palette")


@pytest.mark.real
def test_that_every_text_of_the_window_is_translated():
    done = subprocess.run(
        [sys.executable, "tools/translate.py", "--check"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_that_opening_a_folder_that_is_no_project_says_so_and_changes_nothing(opened, tmp_path):
    before = opened.session.project
    assert not opened.bench.project.open(tmp_path / "nothing")
    assert opened.session.project is before


def test_that_a_setting_with_its_default_again_is_no_change(opened):
    spec = msgspec.structs.replace(opened.session.spec)
    opened.session.change(opened.session.graph, spec, "same")
    assert not opened.session.is_modified


def test_that_a_window_in_another_language_forgets_the_one_before(opened, qtbot):
    opened.bench.actions.action("action.view.language_zh_cn").trigger()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    for name in ("data", "model"):
        opened.window.show_workspace(name)
    assert opened.bench.actions.action("action.edit.paste").isEnabled()
