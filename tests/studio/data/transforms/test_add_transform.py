"""What the Transforms page offers to add: what fits, nothing chosen beforehand; presets."""

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from engine.graph.model import Node
from engine.query.data.request import PreviewTransforms
from engine.spec.data import FieldInfo
from engine.spec.transform_preview import TransformPreview, TransformStage
from studio.data.transforms.add_dialog import AddDialog
from studio.data.transforms.page import TransformsPage
from tests.studio.conftest import DIGITS


@pytest.fixture
def host(host):
    stage = TransformStage(number=-1, name="")
    host.own |= {PreviewTransforms: lambda _: TransformPreview(index=0, stages=(stage,))}
    return host


@pytest.fixture
def page(opened, qtbot) -> TransformsPage:
    opened.window.show()
    opened.window.show_page("data", "transforms")
    page = opened.window.findChild(TransformsPage)
    qtbot.waitUntil(lambda: bool(page.strip.cards))
    return page


HELPERS = """
from torch import Tensor


def scaled(images: Tensor) -> tuple[Tensor, Tensor]:
    return images, images


def halved(images: Tensor) -> Tensor:
    return images / 2


def brighter(image: Tensor) -> Tensor:
    return image + 0.1
"""


def test_that_helpers_of_the_model_are_not_offered(opened, page):
    session = opened.session
    helper = Node(id="half", name="half", type="code.own.halved")
    graph = replace(
        session.graph,
        code={"own.py": HELPERS},
        nodes={**session.graph.nodes, helper.id: helper},
    )
    session.change(graph, session.spec, "Code")
    page.asked.emit("add")
    dialog = opened.window.findChildren(AddDialog)[-1]
    custom = list(filter(lambda key: ".code." in key, dialog.keys()))
    assert custom == ["transforms.code.own.brighter"]
    dialog.reject()


def test_that_the_dialog_finds_a_transform_by_what_it_does(opened, page):
    page.asked.emit("add")
    dialog = opened.window.findChildren(AddDialog)[-1]
    assert len(dialog.keys()) > 36
    assert dialog.key() == ""  # nothing is added that nobody asked for
    QTest.keyClick(dialog.search, Qt.Key.Key_Return)
    assert dialog.isVisible()
    QTest.keyClick(dialog.search, Qt.Key.Key_Down)
    assert dialog.key() == dialog.keys()[0]
    dialog.search.setText("flip")
    assert set(dialog.keys()) >= {
        "transforms.RandomHorizontalFlip",
        "transforms.RandomVerticalFlip",
    }
    dialog.search.setText("zzzz")
    assert dialog.keys() == []
    assert dialog.findChild(QLabel, "dialog.transforms.nothing").isVisible()
    dialog.reject()


def test_that_the_preset_keeps_whole_pictures_in_evaluation_where_boxes_are_found(opened, page):
    boxes = FieldInfo(name="boxes", role="target", kind="boxes", shape=(-1, 4), dtype="float32")
    opened.session.find(data=replace(DIGITS, fields=(*DIGITS.fields, boxes)))
    page.asked.emit("photographs")
    evaluated = [step for step in opened.session.spec.data.transforms if step.parts == "evaluation"]
    assert [(step.type, step.params) for step in evaluated] == [("Resize", {"size": (8, 8)})]
