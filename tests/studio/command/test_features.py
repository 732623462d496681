"""Features are folders that announce themselves: pages and commands are added as CONTRIBUTING.md
says.
"""

import importlib
import sys
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QTabBar

import studio as package
from studio.app import features
from studio.app.features import FOLDERS
from studio.command.actions import ActionSet
from studio.inspect import feature as inspect_feature
from studio.model.workspace.page import ModelWorkspace

FOLDER = Path(package.__file__).parent
PAGE = """
from PySide6.QtWidgets import QLabel

from studio.inspect.page import inspect_page
from studio.services import Services
from studio.window.paged import in_steps


def _build(context):
    from studio.inspect.throw_away import controller

    page = QLabel(objectName="throwAway")
    yield from in_steps(page)
    controller.begin(page, context[Services].session)


FEATURE = inspect_page(
    "throw_away",
    title="Throw away",
    tip="For a test",
    command="Throw away",
    words="test",
    build=_build,
)
"""
PAGE_CONTROLLER = """
def begin(page, session):
    page.setText(f"{len(session.graph.nodes)} nodes")
"""
COMMAND = """
from studio.command.command import Command
from studio.command.feature import Feature
from studio.model.canvas.controller import ModelController
from studio.model.throw_away.controller import ThrowAwayController
from studio.services import Services
from studio.view.rule import has_one_node


def _build(context):
    services = context[Services]
    context.add(
        ThrowAwayController(session=services.session, model=context[ModelController])
    )


FEATURE = Feature(
    build=_build,
    commands=(
        Command(
            id="action.model.throw_away",
            title="Throw away",
            keys=("Ctrl+Alt+T",),
            words="test",
            group=1,
            run=lambda context: context[ThrowAwayController].act(),
            is_enabled=has_one_node,
            is_checked=lambda context: context[ThrowAwayController].is_named,
        ),
    ),
)
"""
COMMAND_CONTROLLER = """
from PySide6.QtCore import QObject


class ThrowAwayController(QObject):
    def __init__(self, *, session, model):
        super().__init__(model)
        self._session = session
        self._model = model

    @property
    def is_named(self):
        return any(node.name == "thrown" for node in self._session.level.nodes.values())

    def act(self):
        self._model.rename(self._session.selection[0], "thrown")
"""


def test_that_every_folder_with_a_feature_is_in_the_list():
    files = (file.parent.relative_to(FOLDER) for file in FOLDER.rglob("feature.py"))
    named = [".".join(folder.parts) for folder in files if folder.parts != ("command",)]
    assert sorted(named) == sorted(FOLDERS)


@pytest.fixture
def plug_in(tmp_path, monkeypatch):
    """Put a folder beside the others, as CONTRIBUTING.md says."""
    made: list[str] = []

    def plug_in(room: str, feature: str, controller: str) -> None:
        folder = tmp_path / room / "throw_away"
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text("")
        (folder / "feature.py").write_text(feature)
        (folder / "controller.py").write_text(controller)
        shelf = importlib.import_module(f"studio.{room}")
        monkeypatch.setattr(shelf, "__path__", [*shelf.__path__, str(folder.parent)])
        monkeypatch.setattr(features, "FOLDERS", (*FOLDERS, f"{room}.throw_away"))
        made.append(f"studio.{room}.throw_away")

    yield plug_in
    for name in [name for name in sys.modules if name.startswith(tuple(made))]:
        del sys.modules[name]


@pytest.fixture
def with_page(plug_in, monkeypatch):
    plug_in("inspect", PAGE, PAGE_CONTROLLER)
    pages = (*inspect_feature.PAGES, "throw_away")
    monkeypatch.setattr(inspect_feature, "PAGES", pages)


@pytest.fixture
def with_command(plug_in):
    plug_in("model", COMMAND, COMMAND_CONTROLLER)


def test_that_a_page_of_inspect_is_added_by_a_folder_and_its_name(with_page, opened, qtbot):
    nodes = len(opened.session.graph.nodes)
    opened.context[ActionSet].action("action.inspect.throw_away").trigger()
    label = opened.window.findChild(QLabel, "throwAway")
    qtbot.waitUntil(label.isVisible)
    assert label.text() == f"{nodes} nodes"
    bars = opened.window.page("inspect").findChildren(QTabBar)
    assert "Throw away" in [bar.tabText(index) for bar in bars for index in range(bar.count())]


def test_that_a_command_of_the_canvas_is_added_by_a_folder_and_its_name(
    with_command, opened, qtbot
):
    canvas = opened.context[ModelWorkspace].canvas
    node, other = list(opened.session.graph.nodes)[:2]
    action = opened.context[ActionSet].action("action.model.throw_away")
    assert action in opened.window.menu("model").actions()
    assert not action.isEnabled()
    canvas.select((node, other))
    assert not action.isEnabled()
    canvas.select((node,))
    assert action.isEnabled()
    assert not action.isChecked()
    action.trigger()
    assert opened.session.graph.nodes[node].name == "thrown"
    qtbot.waitUntil(action.isChecked)
