"""The keys go to what is on the screen: through the window with Tab, and when something goes."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QApplication,
    QDockWidget,
    QLineEdit,
    QStackedWidget,
    QTabBar,
    QToolBar,
    QToolButton,
    QWidget,
)

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.graph.edit.edits import AddNode
from engine.graph.model import Node
from engine.query.doctor.request import CheckUp
from studio.inspect.feature import PAGES
from studio.inspect.workspace import InspectWorkspace
from widgets.canvas.canvas import Canvas
from widgets.code.editor_text import EditorText
from widgets.common.tab_walk import tab_stops
from widgets.forms.field_row import FieldRow
from widgets.forms.form import FormWidget

WORKSPACES = ("model", "data", "train", "inspect", "runs", "export")
MOST_STOPS = 300
MOST_WALKS = 5
NONE, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def active(opened, qtbot):
    """Return the program with the keyboard in its window."""
    opened.window.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is opened.window)
    opened.window.show_workspace("model")
    qtbot.waitUntil(lambda: focused() == "canvas")
    return opened


def focused() -> str:
    """Return the name of what has the keys."""
    focus = QApplication.focusWidget()
    return "" if focus is None else focus.objectName()


def press(key: Qt.Key, modifiers: Qt.KeyboardModifier = NONE) -> None:
    """Press a key as the window system tells it: Qt decides who has it."""
    QTest.keyClick(QApplication.activeWindow().windowHandle(), key, modifiers)


def write(text: str) -> None:
    for letter in text:
        press(Qt.Key(ord(letter.upper())))


def is_seen(widget: QWidget) -> bool:
    """Return whether something of a widget is on the screen; what covers itself with parts of its
    own counts by them.
    """
    parts = [widget, *widget.findChildren(QWidget)]
    if isinstance(widget, QAbstractScrollArea):
        parts.append(widget.viewport())
    return any(part.isVisible() and not part.visibleRegion().isEmpty() for part in parts)


def is_inside(name: str) -> bool:
    """Return whether what has the keys lies in a widget, or is it."""
    focus = QApplication.focusWidget()
    while focus is not None and focus.objectName() != name:
        focus = focus.parentWidget()
    return focus is not None


def press_tab(*, forward: bool) -> None:
    """Press Tab; where that key is kept, do what the way out does."""
    focus = QApplication.focusWidget()
    if isinstance(focus, EditorText | Canvas):
        QWidget.focusNextPrevChild(focus, forward)
    elif forward:
        press(Qt.Key.Key_Tab)
    else:
        press(Qt.Key.Key_Backtab, SHIFT)


def walk_round(*, forward: bool) -> list[QWidget]:
    """Press Tab until the keyboard is back; return where it was."""
    press_tab(forward=forward)
    visited: list[QWidget] = []
    for _ in range(MOST_STOPS):
        focus = QApplication.focusWidget()
        assert focus is not None, [one.objectName() for one in visited]
        if visited and focus is visited[0]:
            return visited
        assert focus not in visited, f"Tab does not leave {focus.objectName()}"
        assert is_seen(focus), f"{focus.objectName()} has the keys unseen"
        assert focus.isEnabled()
        visited.append(focus)
        press_tab(forward=forward)
    raise AssertionError("Tab does not come round")


def walk_both_ways() -> list[str]:
    """Go round forward and back; return the names of the stops. A page that is looked at for the
    first time asks for what it shows: where an answer comes between both ways, they are gone again.
    """
    for _ in range(MOST_WALKS):
        there, back = walk_round(forward=True), walk_round(forward=False)
        if set(there) == set(back):
            break
    lost = {widget.objectName() for widget in set(there) ^ set(back)}
    assert not lost
    return [widget.objectName() for widget in there]


def test_that_tab_goes_round_through_what_is_on_the_screen_and_shift_tab_back(active):
    for workspace in WORKSPACES:
        active.window.show_workspace(workspace)
        assert len(walk_both_ways()) > 3


@pytest.mark.usefixtures("unseen_pages")
def test_that_tab_goes_round_on_every_page_of_inspect(active, qtbot):
    active.window.show_workspace("inspect")
    pages = active.window.findChild(QStackedWidget, "inspect.pages")
    frames = [pages.widget(index) for index in range(pages.count())]
    qtbot.waitUntil(lambda: all(frame.layout().count() for frame in frames))
    for page in PAGES:
        active.window.findChild(InspectWorkspace).show_page(page)
        assert "inspect.tabs" in walk_both_ways()


def test_that_tab_goes_round_with_every_dock_opened_in_another_workspace(active):
    active.window.show_workspace("train")
    for name in ("palette", "inspector", "problems", "log", "code"):
        active.window.show_dock(name)
    names = walk_both_ways()
    assert {"palette.search", "field.optimizer.lr"} <= set(names)
    assert "code" in names  # the last one is in front
    assert not {"problems", "log"} & set(names)


def dock(opened, name: str) -> QDockWidget:
    return opened.window.findChild(QDockWidget, f"dock.{name}")


def give(opened, name: str) -> QWidget:
    """Give a widget the keys."""
    widget = opened.window.findChild(QWidget, name)
    widget.setFocus()
    assert widget.hasFocus() or widget.focusProxy().hasFocus()
    return widget


def test_that_keys_go_to_the_dock_that_comes_before_the_one_that_had_them(active, qtbot):
    active.window.show_dock("code")
    give(active, "code")
    direct = Qt.FindChildOption.FindDirectChildrenOnly
    bars = active.window.findChildren(QTabBar, options=direct)
    bar = next(bar for bar in bars if bar.isVisible())
    before = active.bench.code.text.toPlainText()
    titles = [bar.tabText(index) for index in range(bar.count())]
    place = bar.tabRect(titles.index("Problems")).center()
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=place)
    qtbot.waitUntil(lambda: is_inside("dock.problems"))
    write("zzz")
    assert active.bench.code.text.toPlainText() == before


def test_that_what_is_given_the_keys_behind_another_dock_does_not_keep_them(active, qtbot):
    active.window.show_dock("problems")
    active.window.findChild(QWidget, "code").setFocus()
    qtbot.waitUntil(lambda: is_inside("dock.problems"))


def test_that_a_dock_that_is_closed_gives_its_keys_to_the_page(active, qtbot):
    active.bench.model.show_node(next(iter(active.session.graph.nodes)))
    for name in ("palette.search", "inspector.name", "problems"):
        give(active, name)
        active.window.toggle_dock(name.partition(".")[0])
        qtbot.waitUntil(lambda: focused() == "canvas")


def test_that_escape_in_a_dock_leads_back_to_the_page(active, qtbot):
    for name in ("palette.search", "palette.tree", "problems"):
        give(active, name)
        press(Qt.Key.Key_Escape)
        assert focused() == "canvas"


def test_that_tab_stays_in_a_dock_that_floats_and_escape_leads_back(active, qtbot):
    active.bench.model.show_node(next(iter(active.session.graph.nodes)))
    inspector = dock(active, "inspector")
    inspector.setFloating(True)
    qtbot.waitUntil(lambda: "inspector.name" in names_of(inspector))
    active.window.activateWindow()
    qtbot.waitUntil(lambda: focused() == "canvas")
    assert "inspector.name" not in walk_both_ways()  # a window of its own
    inspector.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is inspector)
    give(active, "inspector.name")
    assert set(walk_both_ways()) == names_of(inspector)
    give(active, "inspector.name")
    press(Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: focused() == "canvas")
    inspector.setFloating(False)
    assert "inspector.name" in walk_both_ways()


def names_of(root: QWidget) -> set[str]:
    return {widget.objectName() for widget in tab_stops(root)}


def test_that_ctrl_and_a_number_lead_out_of_a_dock_that_floats(active, qtbot):
    inspector = dock(active, "inspector")
    inspector.setFloating(True)

    def is_active() -> bool:
        inspector.activateWindow()  # again: the first time it may not be there yet
        return QApplication.activeWindow() is inspector

    qtbot.waitUntil(is_active)
    active.bench.actions.action("action.view.train").trigger()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is active.window)
    qtbot.waitUntil(lambda: is_inside("page.train"))


def test_that_another_workspace_takes_the_keys_from_every_dock(active):
    active.bench.model.show_node(next(iter(active.session.graph.nodes)))
    for start in ("palette.search", "inspector.name", "code", "log"):
        for workspace in WORKSPACES:
            active.window.show_workspace("data")
            active.window.show_workspace("model")
            active.window.show_dock(start.partition(".")[0])
            give(active, start)
            active.window.show_workspace(workspace)
            assert is_inside(f"page.{workspace}")


def test_that_a_section_that_folds_leaves_the_keys_on_its_page(active, qtbot):
    active.window.show_workspace("train")
    form = active.window.findChild(FormWidget, "train.form")
    fold = form.findChild(QToolButton, "fold.optimizer")
    fold.click()
    field = next(
        row for row in form.findChildren(QLineEdit) if row.objectName() == "field.optimizer.eps"
    )
    qtbot.waitUntil(field.isVisible)
    field.setFocus()
    fold.click()
    assert not field.isVisible()
    qtbot.waitUntil(lambda: is_inside("train.form") and is_seen(QApplication.focusWidget()))


def test_that_a_page_that_goes_takes_no_keys_along(active, qtbot):
    active.window.show_workspace("inspect")
    inspect = active.window.findChild(InspectWorkspace)
    inspect.show_page(PAGES[0])
    give(active, "inspect.empty.action")
    inspect.show_page("doctor")
    qtbot.waitUntil(lambda: is_inside("page.inspect") and is_seen(QApplication.focusWidget()))
    assert not is_inside("inspect.empty")


def test_that_a_button_that_is_disabled_has_the_keys_again_when_it_is_enabled(active, qtbot):
    active.window.show_workspace("train")
    start = give(active, "train.start")
    start.setEnabled(False)
    qtbot.waitUntil(lambda: focused() not in ("", "train.start"))
    assert is_inside("page.train")
    assert not isinstance(QApplication.focusWidget(), QAbstractButton)  # the space bar presses it
    start.setEnabled(True)
    qtbot.waitUntil(start.hasFocus)


def test_that_a_button_does_not_take_the_keys_back_from_who_works_elsewhere(active, qtbot):
    active.window.show_workspace("train")
    start = give(active, "train.start")
    start.setEnabled(False)
    qtbot.waitUntil(lambda: focused() not in ("", "train.start"))
    press(Qt.Key.Key_Tab)
    now = focused()
    start.setEnabled(True)
    qtbot.wait(50)
    assert focused() == now


def test_that_a_tool_that_is_disabled_gives_the_keys_to_the_page(active, qtbot):
    tool = give(active, "tool.view.commands")
    tool.setEnabled(False)
    qtbot.waitUntil(lambda: focused() == "canvas")


def test_that_what_is_deleted_gives_the_keys_to_its_page(active, qtbot):
    active.window.show_workspace("export")
    give(active, "export.browse").deleteLater()
    qtbot.waitUntil(lambda: focused() not in ("", "export.browse"))
    assert is_inside("page.export")
    assert not any(bar.isAncestorOf(QApplication.focusWidget()) for bar in bars(active))


def bars(opened) -> list[QToolBar]:
    return opened.window.findChildren(QToolBar)


def open_page(opened, name: str) -> QWidget:
    """Show a page of Inspect."""
    opened.window.show_workspace("inspect")
    inspect = opened.window.findChild(InspectWorkspace)
    inspect.show_page(name)
    return inspect


def test_that_the_button_that_examines_leaves_the_keys_on_its_page(active, qtbot, host):
    host.own[CheckUp] = DiagnosticError(Diagnostic(code="E011"))
    open_page(active, "doctor")
    button = give(active, "doctor.empty.action")
    press(Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: not button.hasFocus())
    qtbot.waitUntil(lambda: is_inside("inspect.pages"))
    press(Qt.Key.Key_Space)
    assert active.window.workspace == "inspect"


def test_that_the_button_that_captures_leaves_the_keys_on_its_page(active, qtbot, monkeypatch):
    open_page(active, PAGES[0])
    button = give(active, "inspect.empty.action")
    monkeypatch.setattr("studio.run_control.controller.RunController.is_waiting", True)
    monkeypatch.setattr("studio.run_control.controller.RunController.start", lambda _: None)
    press(Qt.Key.Key_Space)
    active.session.run_changed.emit()
    qtbot.waitUntil(lambda: not button.isVisible())
    qtbot.waitUntil(lambda: is_inside("page.inspect"))
    press(Qt.Key.Key_Space)
    assert active.window.workspace == "inspect"


def select(opened, qtbot, kind: str) -> str:
    """Select the first node of a kind, with the keys on the canvas; return its name."""
    node = next(node for node in opened.session.graph.nodes.values() if node.type == kind)
    qtbot.waitUntil(lambda: node.id in opened.bench.model_page.canvas.scene.nodes)
    opened.bench.model.show_node(node.id)
    opened.window.show_workspace("model")
    qtbot.waitUntil(lambda: name_field(opened).text() == node.name)
    return node.name


def name_field(opened) -> QLineEdit:
    return opened.window.findChild(QLineEdit, "inspector.name")


def params(opened, name: str) -> dict[str, object]:
    return next(node.params for node in opened.session.graph.nodes.values() if node.name == name)


def tab_until(is_there: Callable[[], bool]) -> list[str]:
    """Press Tab until the keyboard is where it should be; return where it was."""
    met: list[str] = []
    while not is_there():
        met.append(focused())
        assert len(met) < MOST_STOPS, met
        press(Qt.Key.Key_Tab)
    return met


def test_that_enter_leads_to_the_first_setting_and_tab_goes_through_them_as_drawn(active, qtbot):
    select(active, qtbot, "Linear")
    press(Qt.Key.Key_Return)
    form = active.window.findChild(FormWidget, "inspector.form")
    rows = sorted(
        (row for row in form.findChildren(FieldRow) if row.isVisible()),
        key=lambda row: row.mapTo(form, row.rect().topLeft()).y(),
    )
    wanted = [row.editor.objectName() for row in rows]
    assert len(wanted) > 2
    assert focused() == wanted[0]
    met = tab_until(lambda: not is_inside("inspector"))
    assert [name for name in met if name in wanted] == wanted


def test_that_enter_leads_to_the_node_that_was_selected_a_moment_ago(active, qtbot):
    name = select(active, qtbot, "Linear")
    active.bench.model.show_node(next(iter(active.session.graph.nodes)))
    active.bench.model.show_node(
        next(key for key, node in active.session.graph.nodes.items() if node.name == name)
    )
    press(Qt.Key.Key_Return)
    assert name_field(active).text() == name
    assert is_inside("inspector.form")


def test_that_enter_on_a_node_without_settings_leads_to_its_name(active, qtbot):
    active.session.edit(AddNode(node=Node(id="plain", type="Tanh", name="plain")), "Add")
    select(active, qtbot, "Tanh")
    form = active.window.findChild(FormWidget, "inspector.form")
    for row in form.findChildren(FieldRow):
        row.hide()
    press(Qt.Key.Key_Return)
    assert focused() == "inspector.name"


def test_that_enter_shows_the_inspector_where_it_is_closed(active, qtbot):
    active.window.toggle_dock("inspector")
    select(active, qtbot, "Linear")
    press(Qt.Key.Key_Return)
    assert is_inside("inspector.form")
    assert is_seen(QApplication.focusWidget())


def test_that_escape_gives_a_setting_its_value_back_and_again_leads_to_the_canvas(active, qtbot):
    name = select(active, qtbot, "Linear")
    press(Qt.Key.Key_Return)
    tab_until(lambda: focused() == "field.out_features")
    before = params(active, name)["out_features"]
    write("77")
    qtbot.waitUntil(lambda: params(active, name)["out_features"] == 77)  # it is told at a pause
    press(Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: params(active, name)["out_features"] == before)
    assert focused() == "field.out_features"
    qtbot.waitUntil(lambda: QApplication.focusWidget().text() == str(before))
    press(Qt.Key.Key_Escape)
    assert focused() == "canvas"


def test_that_escape_gives_the_old_name_back_and_again_leads_to_the_canvas(active, qtbot):
    name = select(active, qtbot, "Linear")
    field = name_field(active)
    field.setFocus(Qt.FocusReason.TabFocusReason)
    field.selectAll()
    write("other")
    assert field.text() == "other"
    press(Qt.Key.Key_Escape)
    assert (field.text(), focused()) == (name, "inspector.name")
    press(Qt.Key.Key_Escape)
    assert focused() == "canvas"
    assert params(active, name)
