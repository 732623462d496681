"""A sample of the data in the playground: from the Samples page, by menu and key."""

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu

from engine.diagnostics import DiagnosticError
from engine.query.results.request import DescribeModel, ModelInput, ModelInputs, Predict, Prediction
from engine.spec.data import FieldInfo
from studio.data.samples.page import SamplesPage
from studio.inspect.playground.page import PlaygroundPage
from tests.studio.data.samples.played import PlayedSamples
from tests.studio.inspect.results.test_results import begin
from widgets.common.toast import ToastStack

ACTION = "action.data.playground"
SIZE = FieldInfo(name="size", role="input", kind="vector", shape=(1,), dtype="float32")


def described(request: DescribeModel) -> ModelInputs:
    """Return a model that reads one number, which is that of the sample."""
    field = ModelInput(info=SIZE, low=0.0, high=9.0, example=(float(request.sample),))
    return ModelInputs(step=4, fields=(field,))


@pytest.fixture
def host(host):
    answer = Prediction(step=4, values=(1.0,))
    host.own |= {**PlayedSamples(50).answers(), DescribeModel: described, Predict: answer}
    return host


@pytest.fixture
def samples(opened, qtbot) -> SamplesPage:
    opened.window.show_workspace("data")
    page = opened.window.findChild(SamplesPage)
    qtbot.waitUntil(lambda: page.browser.model.row(0) is not None)
    return page


def typed(opened) -> list[str]:
    page = opened.window.findChild(PlaygroundPage)
    return [line.text() for line in page.findChildren(QLineEdit) if line.isVisible()]


def open_sample(opened, samples, qtbot, number: int) -> None:
    action = opened.window.findChild(type(opened.window.actions()[0]), ACTION)

    def is_selected() -> bool:
        samples.browser.select(number)  # again, where the list has just been filled anew
        return samples.selection == (number,)

    qtbot.waitUntil(is_selected)
    action.trigger()
    assert opened.window.findChild(PlaygroundPage).isVisible()


def test_that_the_selected_sample_is_tried_in_the_playground(opened, samples, qtbot):
    begin(opened, qtbot)
    open_sample(opened, samples, qtbot, 7)
    qtbot.waitUntil(lambda: typed(opened) == ["7"])


def test_that_another_sample_takes_the_place_of_the_first(opened, samples, qtbot):
    begin(opened, qtbot)
    open_sample(opened, samples, qtbot, 7)
    qtbot.waitUntil(lambda: typed(opened) == ["7"])
    opened.window.show_page("data", "samples")
    open_sample(opened, samples, qtbot, 3)
    qtbot.waitUntil(lambda: typed(opened) == ["3"])


def test_that_one_sample_has_to_be_selected(opened, samples, qtbot):
    action = opened.window.findChild(type(opened.window.actions()[0]), ACTION)
    assert not action.isEnabled()
    samples.browser.select(7)
    qtbot.waitUntil(action.isEnabled)
    samples.browser.select_ranges(((0, 2),))
    qtbot.waitUntil(lambda: not action.isEnabled())


def test_that_the_menu_of_the_samples_opens_the_playground(opened, samples, qtbot):
    samples.browser.select(7)
    qtbot.waitUntil(lambda: samples.selection == (7,))
    samples.browser.menu_requested.emit(QPoint(9, 9))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert ACTION in [action.objectName() for action in menu.actions()]
    menu.close()


def test_that_a_run_of_other_data_does_not_take_the_sample(opened, samples, qtbot, host):
    session = opened.session
    before = session.spec
    opened.services.editor.set("data.source", "iris")
    begin(opened, qtbot)
    session.change(session.graph, before, "back")
    qtbot.waitUntil(lambda: samples.browser.model.row(7) is not None)
    open_sample(opened, samples, qtbot, 7)
    qtbot.waitUntil(lambda: typed(opened) == ["-1"])
    toast = opened.window.findChild(ToastStack).toasts[-1]
    assert "trained on other data" in toast.view.text


def test_that_a_sample_that_cannot_be_read_leaves_the_playground(opened, samples, qtbot, host):
    host.own[DescribeModel] = lambda request: (
        DiagnosticError.of("D170", column="size") if request.sample >= 0 else described(request)
    )
    begin(opened, qtbot)
    open_sample(opened, samples, qtbot, 7)
    qtbot.waitUntil(lambda: typed(opened) == ["-1"])
