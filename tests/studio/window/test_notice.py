"""The notices across the window: nothing that waits for an answer is lost behind another."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from engine.project import Project
from studio.window.banner import BannerBar, BannerView


@pytest.fixture
def bar(qtbot) -> BannerBar:
    made = BannerBar()
    qtbot.addWidget(made)
    return made


def notice(key: str, text: str = "", *answers: str) -> BannerView:
    return BannerView(
        key=key, text=text or key, actions=tuple((answer, lambda: None) for answer in answers)
    )


def test_that_a_question_stays_beside_the_notice_that_came_after_it(bar, qtbot):
    bar.show_banner(notice("recovery", "unsaved work", "Restore"))
    bar.show_banner(notice("run", "a run failed"))
    assert bar.view.key == "run"
    (button,) = bar.findChildren(QPushButton)
    assert button.isVisibleTo(bar)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert bar.view.key == "run"
    bar.dismiss("run")
    assert bar.view is None
    assert bar.isHidden()


def test_that_news_of_the_same_thing_replaces_what_was_said(bar):
    for text in ("not responding", "ended"):
        bar.show_banner(notice("run", text))
    assert bar.view.text == "ended"
    bar.dismiss("run")
    assert bar.view is None


def test_that_what_is_over_does_not_come_back(bar):
    bar.show_banner(notice("run"))
    bar.show_banner(notice("recovery"))
    bar.dismiss("run")
    bar.dismiss("recovery")
    assert bar.view is None


def test_that_a_question_about_a_project_goes_with_it(opened, tmp_path):
    show = opened.window.banner.show_banner
    show(notice("crash"))
    show(notice("recovery", "unsaved work", "Restore"))
    Project.create(tmp_path / "other", "iris-mlp")
    assert opened.bench.project.open(tmp_path / "other")
    assert opened.window.banner.view.key == "crash"
