"""Latent variables in the playground: a point is moved, and what the model draws there is shown."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.query.latent.request import Decode, Decoded, DescribeLatent, LatentSpace
from engine.query.results.request import DescribeModel, ModelInput, ModelInputs, Predict, Prediction
from engine.spec.data import FieldInfo
from studio.inspect.playground.page import PlaygroundPage
from tests.studio.inspect.results.test_results import begin, front

PICTURE = FieldInfo(name="image", role="input", kind="image", shape=(1, 2, 2), dtype="float32")
INPUTS = ModelInputs(
    step=7,
    fields=(ModelInput(info=PICTURE, low=-4, high=4, example=(0.5,) * 4),),
    decodes="image",
)
MEANS = ((-1.0, 0.5), (1.0, -0.5), (3.0, 2.0))


def space(size: int) -> LatentSpace:
    means = np.zeros((len(MEANS), size), np.float32)
    means[:, :2] = MEANS
    return LatentSpace(
        checkpoint="step.ckpt",
        step=7,
        field="image",
        size=size,
        shape=PICTURE.shape,
        means=means.tobytes(),
        values=np.full((3, *PICTURE.shape), 9, np.float32).tobytes(),
        labels=(0, 1, 1),
        classes=("cat", "dog"),
    )


def unwanted(_: Predict) -> Prediction:
    raise AssertionError("nothing is put into the model")


def shown(opened, host, qtbot, size=2) -> PlaygroundPage:
    def decode(request: Decode) -> Decoded:
        points = np.frombuffer(request.latents, np.float32).reshape(-1, size)
        values = np.broadcast_to(points[:, :1, None, None], (len(points), *PICTURE.shape))
        return Decoded(
            checkpoint="step.ckpt",
            step=7,
            field="image",
            shape=PICTURE.shape,
            latents=request.latents,
            values=values.astype(np.float32).tobytes(),
        )

    host.own |= {DescribeModel: INPUTS, DescribeLatent: space(size), Decode: decode}
    host.own |= {Predict: unwanted}
    begin(opened, qtbot)
    page = front(opened, "playground", PlaygroundPage)
    qtbot.waitUntil(lambda: drawn(page) == 0, timeout=30_000)
    return page


def drawn(page) -> float | None:
    """Return what is drawn: here, the first latent variable."""
    view = page.latent.view.image
    return None if view is None else round(float(np.asarray(view.pixels).mean()), 2)


def test_that_sliders_plane_and_random_move_the_point_and_the_image_follows(opened, host, qtbot):
    page = shown(opened, host, qtbot)
    panel = page.latent
    assert not page.pad.isVisible(), "there is no input"
    assert not page.example.isVisible()
    panel.sliders[0].setValue(150)
    qtbot.waitUntil(lambda: drawn(page) == 1.5, timeout=30_000)
    assert panel.plane.view.point == (1.5, 0)
    target = panel.plane.position(-2.0, 1.0).toPoint()
    qtbot.mousePress(panel.plane, Qt.MouseButton.LeftButton, pos=target)
    qtbot.mouseRelease(panel.plane, Qt.MouseButton.LeftButton, pos=target)
    qtbot.waitUntil(lambda: (drawn(page) or 0) < -1.8, timeout=30_000)
    at = drawn(page)
    assert at == pytest.approx(-2.0, abs=0.1)
    assert panel.sliders[1].value() == pytest.approx(100, abs=10)
    panel.plane.setFocus()
    qtbot.keyClick(panel.plane, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: (drawn(page) or 0) > at + 0.5, timeout=30_000)
    before = panel.plane.view.point
    panel.random.click()
    qtbot.waitUntil(lambda: drawn(page) == round(panel.plane.view.point[0], 2), timeout=30_000)
    assert panel.plane.view.point != before


def test_that_the_plane_has_images_and_samples_where_they_lie(opened, host, qtbot):
    plane = shown(opened, host, qtbot).latent.plane
    qtbot.waitUntil(lambda: plane.view.ground is not None, timeout=30_000)
    pixels = np.asarray(plane.view.ground.pixels)[0]
    assert (np.diff(pixels[0, ::2]) > 0).all(), "the first variable grows to the right"
    assert pixels[0, 0] == pytest.approx(-pixels[0, -1])
    assert (pixels == pixels[0]).all()
    assert plane.view.xy.tolist() == [list(point) for point in MEANS]
    assert plane.view.classes.tolist() == [0, 1, 1]
    assert plane.position(0, 0).toPoint() == plane.area().center().toPoint()
    assert isinstance(plane.position(99, 0).toPoint(), QPoint)


def test_that_a_sample_is_gone_to_and_a_walk_leads_to_another(opened, host, qtbot):
    page = shown(opened, host, qtbot)
    panel = page.latent
    panel.begin.click()
    qtbot.waitUntil(lambda: drawn(page) == -1, timeout=30_000)
    panel.last.setValue(3)
    panel.go.click()
    qtbot.waitUntil(panel.walk.isVisible, timeout=30_000)
    walk = [float(np.asarray(view.pixels).mean()) for view in panel.view.walk]
    labels = [view.label for view in panel.view.walk]
    assert (walk[0], walk[-1], labels[0], labels[-1]) == (9, 9, "cat", "dog"), "the originals"
    assert walk[1:-1] == pytest.approx(np.linspace(-1, 3, len(walk) - 2).tolist())


def test_that_more_than_two_variables_have_sliders_and_no_plane(opened, host, qtbot):
    page = shown(opened, host, qtbot, size=70)
    panel = page.latent
    assert not panel.plane.isVisible()
    assert 2 < len(panel.sliders) < 70
    assert "70" in panel.note.text()
    panel.sliders[0].setValue(100)
    qtbot.waitUntil(lambda: drawn(page) == 1, timeout=30_000)


def test_that_a_failure_is_told_and_the_next_point_is_drawn(opened, host, qtbot):
    page = shown(opened, host, qtbot)
    decode = host.own[Decode]
    host.own[Decode] = DiagnosticError(Diagnostic(code="P081", params={"size": 2, "given": 5}))
    page.latent.sliders[0].setValue(200)
    qtbot.waitUntil(page.latent.error.isVisible, timeout=30_000)
    host.own[Decode] = decode
    page.latent.sliders[0].setValue(210)
    qtbot.waitUntil(lambda: drawn(page) == 2.1, timeout=30_000)
    assert not page.latent.error.isVisible()
