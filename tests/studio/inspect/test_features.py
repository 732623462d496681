"""A page of Inspect is a folder that announces itself."""

import sys
from pathlib import Path

import pytest

import studio.inspect
from studio.inspect import features
from studio.inspect.features import ORDER, inspect_features

FOLDER = Path(studio.inspect.__file__).parent
FEATURE = """
from PySide6.QtWidgets import QLabel

from studio.inspect.feature import InspectFeature
from studio.window.paged import in_steps


def build(context):
    from studio.inspect.throw_away import controller

    page = QLabel(objectName="throwAway")
    yield from in_steps(page)
    controller.begin(page, context.services.session, context.show_node)


FEATURE = InspectFeature(name="throw_away", title="Throw away", help="For a test", build=build)
"""
CONTROLLER = """
def begin(page, session, show_node):
    page.setText(f"{len(session.graph.nodes)} nodes")
"""


def test_that_every_folder_with_a_feature_is_a_page_of_its_name():
    assert {file.parent.name for file in FOLDER.glob("*/feature.py")} == set(ORDER)
    assert tuple(feature.name for feature in inspect_features()) == ORDER


@pytest.fixture
def plugged_in(tmp_path, monkeypatch):
    """Put a page beside the others, as CONTRIBUTING.md says: a folder, and its name in ORDER."""
    place = tmp_path / "more" / "throw_away"
    place.mkdir(parents=True)
    (place / "__init__.py").write_text("")
    (place / "feature.py").write_text(FEATURE)
    (place / "controller.py").write_text(CONTROLLER)
    monkeypatch.setattr(studio.inspect, "__path__", [*studio.inspect.__path__, str(place.parent)])
    monkeypatch.setattr(features, "ORDER", (*ORDER, "throw_away"))
    yield
    for name in [name for name in sys.modules if name.startswith("studio.inspect.throw_away")]:
        del sys.modules[name]


def test_that_a_page_is_added_by_a_folder_and_its_name(plugged_in, opened, qtbot):
    nodes = len(opened.session.graph.nodes)
    opened.window.show_workspace("inspect")
    opened.window.page("inspect").show_page("throw_away")
    qtbot.waitUntil(lambda: opened.window.findChild(object, "throwAway") is not None)
    label = opened.window.findChild(object, "throwAway")
    qtbot.waitUntil(lambda: label.text() == f"{nodes} nodes")
    assert "Throw away" in tab_titles(opened)


def tab_titles(opened) -> list[str]:
    from PySide6.QtWidgets import QTabBar

    bars = opened.window.page("inspect").findChildren(QTabBar)
    return [bar.tabText(index) for bar in bars for index in range(bar.count())]
