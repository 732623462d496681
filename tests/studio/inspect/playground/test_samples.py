"""Samples of a model in the playground: of a diffusion model they come some steps at a time."""

from threading import Event

import numpy as np
import pytest

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.query.diffusion.request import Denoise, DenoisingStep
from engine.query.generator.request import Sampled, SampleGenerator
from engine.query.results.request import DescribeModel, ModelInput, ModelInputs, Predict, Prediction
from engine.spec.data import FieldInfo
from studio.inspect.playground.page import PlaygroundPage
from tests.studio.inspect.results.test_results import begin, front

POINT = FieldInfo(name="point", role="input", kind="vector", shape=(2,), dtype="float32")
PICTURE = FieldInfo(name="image", role="input", kind="image", shape=(1, 4, 4), dtype="float32")


def described(info: FieldInfo) -> ModelInputs:
    example = (0.5,) * int(np.prod(info.shape))
    field = ModelInput(info=info, low=0, high=1, example=example)
    return ModelInputs(step=7, fields=(field,), diffuses=info.name)


def made(request: Denoise, info: FieldInfo) -> DenoisingStep:
    """Return the samples of a request after another step: all their numbers tell which."""
    done = request.done + 1
    is_done = done == request.denoising.steps
    values = np.full((request.denoising.samples, *info.shape), done / 10, np.float32)
    return DenoisingStep(
        checkpoint="step.ckpt",
        step=7,
        field=info.name,
        shape=info.shape,
        done=done,
        state=b"state %d" % done,
        values=values.tobytes(),
        held_out=b"" if request.done else np.zeros((5, *info.shape), np.float32).tobytes(),
        is_done=is_done,
        distance=0.0213 if is_done else None,
        distance_of_data=0.0187 if is_done else None,
    )


@pytest.fixture
def asked() -> list[Denoise]:
    return []


def unwanted(_: Predict) -> Prediction:
    raise AssertionError("nothing is put into the model")


def shown(opened, host, qtbot, asked, info) -> PlaygroundPage:
    def answer(request: Denoise) -> DenoisingStep:
        asked.append(request)
        return made(request, info)

    host.own |= {DescribeModel: described(info), Denoise: answer, Predict: unwanted}
    begin(opened, qtbot)
    page = front(opened, "playground", PlaygroundPage)
    qtbot.waitUntil(page.samples.isVisible, timeout=30_000)
    return page


def test_that_points_are_made_with_the_settings_beside_held_out_data(opened, host, qtbot, asked):
    page = shown(opened, host, qtbot, asked, POINT)
    panel = page.samples
    assert not page.pad.isVisible()
    assert not page.example.isVisible(), "there is no input"
    panel.samples.setValue(12)
    panel.steps.setValue(3)
    panel.seed.setValue(11)
    panel.eta.setValue(0.5)
    panel.start.click()
    qtbot.waitUntil(lambda: "0.021" in panel.distance.text(), timeout=30_000)
    assert "0.019" in panel.distance.text()
    assert panel.start.isEnabled()
    assert not panel.cancel.isEnabled()
    chosen = asked[0].denoising
    assert (chosen.samples, chosen.steps, chosen.seed, chosen.eta) == (12, 3, 11, 0.5)
    assert [(each.done, each.state) for each in asked] == [
        (0, b""),
        (1, b"state 1"),
        (2, b"state 2"),
    ]
    assert {each.checkpoint for each in asked[1:]} == {"step.ckpt"}, "one set of weights"
    assert "12 samples" in panel.note.text()
    view = panel.points.view
    assert np.bincount(view.classes).tolist() == [5, 12]
    assert view.xy[view.classes == 1].mean() == pytest.approx(0.3)


def test_that_pictures_are_shown_as_pictures(opened, host, qtbot, asked):
    panel = shown(opened, host, qtbot, asked, PICTURE).samples
    panel.samples.setValue(6)
    panel.steps.setValue(2)
    panel.start.click()
    qtbot.waitUntil(lambda: bool(panel.distance.text()), timeout=30_000)
    assert panel.shown.currentWidget() is panel.pictures
    assert panel.gallery.list.model().rowCount() == 6
    assert panel.data.list.model().rowCount() == 5, "held-out ones beside them"


def test_that_stopping_keeps_the_samples_and_asks_no_more(opened, host, qtbot, asked):
    panel = shown(opened, host, qtbot, asked, POINT).samples
    is_held = Event()

    def slowly(request: Denoise) -> DenoisingStep:
        asked.append(request)
        if len(asked) == 2:
            panel.cancel.click()
            is_held.set()
        return made(request, POINT)

    host.own[Denoise] = slowly
    panel.start.click()
    qtbot.waitUntil(is_held.is_set, timeout=30_000)
    qtbot.waitUntil(panel.start.isEnabled, timeout=30_000)
    qtbot.wait(50)
    assert len(asked) == 2
    assert "Step 1" in panel.note.text()


def test_that_a_failure_is_told_in_the_panel(opened, host, qtbot, asked):
    panel = shown(opened, host, qtbot, asked, POINT).samples
    host.own[Denoise] = DiagnosticError(Diagnostic(code="P073", params={"most": 9}))
    panel.start.click()
    qtbot.waitUntil(panel.error.isVisible, timeout=30_000)
    assert "at most 9" in panel.error.text()
    assert panel.start.isEnabled()


def test_that_another_model_is_asked_as_before(opened, host, qtbot):
    inputs = ModelInputs(step=7, fields=described(POINT).fields)
    host.own |= {DescribeModel: inputs, Predict: Prediction(step=7, values=(0.5,))}
    begin(opened, qtbot)
    page = front(opened, "playground", PlaygroundPage)
    qtbot.waitUntil(lambda: bool(page.answer.text()), timeout=30_000)
    assert not page.samples.isVisible()
    assert page.example.isVisible()


def sampled(request: SampleGenerator, info: FieldInfo) -> Sampled:
    """Return samples of a generator: all their numbers tell the seed."""
    values = np.full((request.samples, *info.shape), request.seed, np.float32)
    return Sampled(
        checkpoint="step.ckpt",
        step=7,
        field=info.name,
        shape=info.shape,
        values=values.tobytes(),
        held_out=np.zeros((5, *info.shape), np.float32).tobytes(),
        distance=0.0213,
        distance_of_data=0.0187,
    )


@pytest.mark.parametrize("info", [POINT, PICTURE])
def test_that_a_generator_makes_other_samples_with_each_draw(opened, host, qtbot, info):
    seeds: list[int] = []

    def answer(request: SampleGenerator) -> Sampled:
        seeds.append(request.seed)
        return sampled(request, info)

    inputs = ModelInputs(step=7, fields=described(info).fields, generates=info.name)
    host.own |= {DescribeModel: inputs, SampleGenerator: answer, Predict: unwanted}
    begin(opened, qtbot)
    page = front(opened, "playground", PlaygroundPage)
    qtbot.waitUntil(page.samples.isVisible, timeout=30_000)
    panel = page.samples
    hidden = (panel.steps, panel.eta, panel.cancel, page.pad, page.example)
    assert not any(each.isVisible() for each in hidden), "there are no steps and no input"
    panel.samples.setValue(12)
    panel.seed.setValue(3)
    panel.start.click()
    qtbot.waitUntil(lambda: "0.021" in panel.distance.text(), timeout=30_000)
    assert "12 samples, weights of step 7" in panel.note.text()
    panel.fresh.click()
    qtbot.waitUntil(lambda: panel.fresh.isEnabled() and len(seeds) == 2, timeout=30_000)
    assert seeds == [3, 4]
    if info is POINT:
        view = panel.points.view
        assert np.bincount(view.classes).tolist() == [5, 12]
        assert view.xy[view.classes == 1].mean() == 4
    else:
        rows = [each.list.model().rowCount() for each in (panel.gallery, panel.data)]
        assert rows == [12, 5]
