"""What the program remembers: the projects of before, where the handles of a page were put."""

import shutil

from PySide6.QtWidgets import QSplitter

from studio.process.settings import RECENT_LIMIT, SettingsStore


def titles(studio) -> list[str]:
    studio.window.menu("file").aboutToShow.emit()
    return [action.text() for action in studio.bench.recent.menu.actions()]


def test_that_recent_projects_are_in_the_menu_newest_first_and_dead_ones_are_not(
    studio, project_path
):
    assert titles(studio) == []
    assert not studio.bench.recent.menu.isEnabled()
    for number in range(20):
        shutil.copytree(project_path, project_path.with_name(f"p&{number}"))
        studio.settings.add_recent(project_path.with_name(f"p&{number}"))
    shutil.rmtree(project_path.with_name("p&18"))
    assert titles(studio)[:2] == ["p&&19", "p&&17"]
    assert len(titles(studio)) == RECENT_LIMIT - 1
    studio.bench.recent.menu.actions()[1].trigger()
    assert studio.session.project.path.name == "p&17"


def test_that_the_menu_of_recent_projects_stays_with_a_change_of_language(studio, project_path):
    studio.settings.add_recent(project_path)
    studio.settings.change(language="zh_CN")
    studio.apply_language()
    assert titles(studio) == ["digits"]
    assert studio.bench.recent.menu.title() == "打开最近的项目"
    studio.settings.change(language="en")
    studio.apply_language()


def test_that_handles_are_where_they_were_put_in_another_session(opened, tmp_path, qtbot):
    opened.window.show_workspace("data")
    splitter = opened.window.findChild(QSplitter, "data.splitter")
    before = splitter.sizes()
    splitter.moveSplitter(before[0] - 60, 1)
    assert splitter.sizes() != before
    opened.writer.wait()
    opened.settings.end()
    kept = SettingsStore(tmp_path / "settings")
    wanted = splitter.sizes()
    assert list(kept.value.splitters["data.splitter"]) == wanted
    opened.apply_language()
    page = opened.window.page("data")
    opened.window.show_workspace("data")
    again = page.findChild(QSplitter, "data.splitter")
    qtbot.waitUntil(lambda: abs(again.sizes()[0] - wanted[0]) <= 3)


def test_that_handles_of_another_version_are_not_taken(studio, project_path):
    studio.settings.change(splitters={"runs.splitter": (1, 2, 3), "runs.charts": (0, 0)})
    studio.show(project_path)
    studio.window.show_workspace("runs")
    assert all(studio.window.findChild(QSplitter, "runs.charts").sizes())
