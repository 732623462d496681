"""The Data page says what does not go with the model and leads there."""

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QLabel, QPushButton

from engine.diagnostics import Diagnostic, Severity
from engine.spec.run import Choice
from widgets.tables.problems_list import ProblemsList
from widgets.tables.repair_button import RepairButton


@pytest.fixture
def see(opened, host, qtbot):
    """Return a function that lets the check find problems and shows the Data page."""
    opened.window.show_workspace("data")
    page = opened.window.page("data")

    def tell(*problems: Diagnostic):
        host.problems = problems
        opened.services.analyst.ask_again()
        qtbot.waitUntil(lambda: page.fit.view.problem == (problems[0] if problems else None))
        return page.fit

    return tell


def head(opened):
    return next(node for node in opened.session.graph.nodes.values() if node.name == "classifier")


def few_scores(opened) -> Diagnostic:
    return Diagnostic(
        code="R035",
        node=head(opened).id,
        field="out_features",
        params={"classes": 12, "outputs": 10, "input": "logits", "layer": "classifier"},
    )


def press(qtbot, bar, name: str) -> None:
    qtbot.mouseClick(bar.findChild(QPushButton, f"data.fit.{name}"), Qt.MouseButton.LeftButton)


def test_that_nothing_is_said_while_all_goes_together(see):
    assert not see().isVisible()


def test_that_the_line_says_numbers_and_node_and_mends_by_one_step_of_undo(opened, see, qtbot):
    bar = see(few_scores(opened))
    text = bar.findChild(QLabel, "data.fit.text").text()
    assert "12 classes" in text
    assert "10 scores" in text
    assert "classifier" in text
    qtbot.waitUntil(lambda: bool(opened.session.findings.fixes))
    qtbot.waitUntil(bar.findChild(QPushButton, "data.fit.fix").isVisible)
    press(qtbot, bar, "fix")
    assert head(opened).params["out_features"] == 12
    opened.session.undo()
    assert head(opened).params["out_features"] == 10


def test_that_the_buttons_go_to_the_node_and_to_the_setting(opened, see, qtbot):
    node = head(opened)
    problem = Diagnostic(
        code="R034",
        node=node.id,
        field="losses.0.inputs.target",
        params={"loss": "CrossEntropyLoss", "input": "logits", "target": "y"},
    )
    bar = see(problem)
    assert bar.findChild(QPushButton, "data.fit.place0").text() == "Go to classifier"
    assert bar.findChild(QPushButton, "data.fit.place1").text() == "Go to Target"
    press(qtbot, bar, "place0")
    assert opened.window.workspace == "model"
    assert opened.session.selection == (node.id,)
    opened.window.show_workspace("data")
    press(qtbot, bar, "place1")
    assert opened.window.workspace == "train"


def test_that_a_warning_and_the_number_of_others_are_told(see):
    warning = Diagnostic(code="D012", severity=Severity.WARNING, params={"field": "x"})
    other = Diagnostic(code="D015", severity=Severity.WARNING, params={"field": "x"})
    bar = see(warning, other)
    assert "1 more" in bar.findChild(QLabel, "data.fit.text").text()
    assert not bar.findChild(QPushButton, "data.fit.place0").isVisible()


def test_that_a_folder_that_is_gone_can_be_located_with_one_step_of_undo(
    opened, see, qtbot, monkeypatch, tmp_path
):
    session = opened.session
    source = Choice(type="image_folder", params={"path": "/gone/pictures"})
    data = replace(session.spec.data, source=source)
    session.change(session.graph, replace(session.spec, data=data), "x")
    bar = see(Diagnostic.of("D050", field="data.source.path", folder="/gone/pictures"))
    qtbot.waitUntil(bar.findChild(QPushButton, "data.fit.locate").isVisible)
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path))
    press(qtbot, bar, "locate")
    assert session.spec.data.source.params["path"] == str(tmp_path)
    session.undo()
    assert session.spec.data.source.params["path"] == "/gone/pictures"


def test_that_nothing_is_to_be_located_where_the_data_are_there(opened, see):
    bar = see(few_scores(opened))
    assert not bar.findChild(QPushButton, "data.fit.locate").isVisible()


def test_that_data_that_moved_can_be_located_from_the_problems_panel(
    opened, host, qtbot, monkeypatch, tmp_path
):
    session = opened.session
    source = Choice(type="image_folder", params={"path": "/gone/pictures"})
    data = replace(session.spec.data, source=source)
    lost = Diagnostic.of("D050", field="data.source.path", folder="/gone/pictures")
    host.problems = (lost,)
    session.change(session.graph, replace(session.spec, data=data), "x")
    opened.window.show_dock("problems")
    problems = opened.window.findChild(ProblemsList)
    qtbot.waitUntil(lambda: lost in session.findings.problems)
    index = session.findings.problems.index(lost)
    qtbot.waitUntil(lambda: problems.list.model().rowCount() > index)
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path))
    problems.select(index)
    button = problems.findChild(RepairButton)
    qtbot.waitUntil(lambda: "Locate" in button.accessibleDescription())
    button.click()
    assert session.spec.data.source.params["path"] == str(tmp_path)
    session.undo()
    assert session.spec.data.source.params["path"] == "/gone/pictures"


def test_that_the_button_of_a_problem_of_own_code_goes_to_its_line(opened, see, qtbot):
    session = opened.session
    graph = replace(session.graph, code={"own.py": "x = 1\n\n"})
    session.change(graph, session.spec, "code")
    params = {"file": "own.py", "line": 2, "name": "Odd", "error": "KeyError", "reason": "x"}
    bar = see(Diagnostic(code="D520", field="data.source", params=params))
    assert bar.findChild(QPushButton, "data.fit.place0").text() == "Go to own.py"
    press(qtbot, bar, "place0")
    assert opened.window.workspace == "model"
    assert opened.bench.model_page.own_code.current_file() == "own.py"


def test_that_a_problem_of_the_data_set_goes_to_the_setting_by_the_name_it_has(opened, see):
    bar = see(Diagnostic(code="D261", field="data.source", params={"name": "x"}))
    assert bar.findChild(QPushButton, "data.fit.place0").text() == "Go to Data set"
