"""What is pressed and chosen by name before a picture of the window is taken."""

import pytest
from PySide6.QtWidgets import QComboBox, QLineEdit, QPushButton, QTabBar, QVBoxLayout, QWidget
from shiboken6 import delete

from engine.diagnostics import DiagnosticError
from studio.app.pressing import press


@pytest.fixture
def page(qapp):
    """Return a page with one of each, and what they tell."""
    page, told = QWidget(), list[str]()
    button, field = QPushButton("Go", page), QLineEdit(page)
    combo, tabs = QComboBox(page), QTabBar(page)
    for name, widget in (("go", button), ("path", field), ("method", combo), ("forms", tabs)):
        widget.setObjectName(f"pressed.{name}")
    combo.addItem("Principal components", "pca")
    combo.addItem("Neighbors", "tsne")
    tabs.addTab("Table")
    tabs.setTabData(tabs.addTab("Text"), "text")
    action = page.addAction("All")
    action.setObjectName("pressed.all")
    action.triggered.connect(lambda: told.append("all"))
    button.clicked.connect(lambda: told.append("go"))
    field.editingFinished.connect(lambda: told.append(field.text()))
    combo.activated.connect(lambda _: told.append(combo.currentData()))
    tabs.currentChanged.connect(lambda at: told.append(tabs.tabText(at)))
    layout = QVBoxLayout(page)
    for widget in (button, field, combo, tabs):
        layout.addWidget(widget)
    page.show()
    yield page, told
    delete(page)  # now: the next test has an action of the same name


def at_once(is_done, _limit_s):
    return is_done()


def test_that_each_kind_of_widget_tells_what_it_tells_of_a_hand(page):
    steps = ("go", "path=a=b.csv", "method=tsne", "method=Principal components", "forms=text")
    for step in (*steps, "forms=1", "all"):
        press(f"pressed.{step}", at_once)
    assert page[1] == ["go", "a=b.csv", "tsne", "pca", "Text", "Table", "all"]


@pytest.mark.parametrize(
    ("step", "code"), [("none", "P076"), ("path=x", "P076"), ("method=umap", "P077")]
)
def test_that_what_cannot_be_pressed_is_said(page, step, code):
    page[0].findChild(QLineEdit).setEnabled(False)
    with pytest.raises(DiagnosticError) as caught:
        press(f"pressed.{step}", at_once)
    assert caught.value.problems[0].code == code
    assert not page[1]
