"""The pages are made in short steps after the start, and at once where somebody looks at them."""

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QPushButton, QStackedWidget, QWidget

from studio.process import apart
from widgets.forms.field_row import FieldRow
from widgets.forms.form import FormWidget


def test_that_a_step_makes_little_of_a_page_and_a_visit_all_of_it(studio, project_path) -> None:
    window = studio.window
    studio.show(project_path)
    steps = 0
    while window.build_pages(0.0):
        steps += 1
        if window.findChild(FormWidget, "train.form") is not None:
            break
    assert steps > 10  # the pages before it too are made bit by bit
    form = window.findChild(FormWidget, "train.form")
    assert not form.findChildren(FieldRow)
    window.show_workspace("train")
    assert form.isVisible()
    assert len([row for row in form.findChildren(FieldRow) if row.isVisible()]) > 10
    assert form.findChild(FieldRow, "row.epochs") is not None


def test_that_all_pages_are_made_sooner_or_later_and_each_only_once(studio, project_path) -> None:
    studio.show(project_path)
    while studio.window.build_pages(0.001):
        pass
    before = {name: studio.window.page(name) for name in ("data", "train", "runs", "export")}
    for name, page in before.items():
        studio.window.show_workspace(name)
        assert studio.window.page(name) is page
        assert page.isVisible()
    assert not studio.window.build_pages(1.0)


def test_that_a_language_chosen_while_pages_are_made_begins_them_anew(studio, project_path) -> None:
    studio.show(project_path)
    for _ in range(8):
        studio.window.build_pages(0.0)
    studio.settings.change(language="zh_CN")
    studio.apply_language()
    while studio.window.build_pages(1.0):
        pass
    studio.window.show_workspace("train")
    start = studio.window.findChild(QPushButton, "train.start")
    assert start.text() == "开始"


def test_that_the_page_in_front_stays_there_in_another_language(studio, project_path) -> None:
    studio.show(project_path)
    studio.window.show_page("data", "health")
    studio.settings.change(language="zh_CN")
    studio.apply_language()
    workspace = studio.window.page("data")
    assert studio.window.front == workspace.page == "health"
    assert workspace.tabs.tabText(workspace.tabs.currentIndex()) == "健康"


@pytest.mark.fault("U01")
def test_that_plotting_is_imported_apart_only_when_qt_has_made_its_classes(
    studio, project_path, qtbot, monkeypatch
) -> None:
    done: list[str] = []

    def classes() -> Iterator[None]:
        for _ in range(3):
            done.append("class")
            yield

    monkeypatch.setattr(apart, "_classes", classes)
    monkeypatch.setattr(apart, "_CLASSES_S", 0.0)
    monkeypatch.setattr(apart, "_import", lambda: done.append("import"))
    studio.show(project_path)
    studio.window.show_workspace("inspect")
    qtbot.waitUntil(lambda: "import" in done)
    assert done.index("import") >= 3


@pytest.mark.usefixtures("unseen_pages")
def test_that_pages_that_nobody_has_looked_at_are_made_while_the_program_waits(opened, qtbot):
    names = ("page.data", "page.train", "page.inspect", "page.runs", "page.export")
    qtbot.waitUntil(lambda: all(opened.window.findChild(QWidget, name) for name in names))
    assert opened.window.workspace == "model"


@pytest.mark.usefixtures("unseen_pages")
@pytest.mark.parametrize("workspace", ["data", "inspect"])
def test_that_a_visit_of_one_page_has_those_beside_it_made(opened, qtbot, workspace):
    opened.window.show_workspace(workspace)
    pages = opened.window.findChild(QStackedWidget, f"{workspace}.pages")
    frames = [pages.widget(index) for index in range(pages.count())]
    assert len(frames) > 1
    qtbot.waitUntil(lambda: all(frame.layout().count() for frame in frames))
    assert pages.currentIndex() == 0
