"""Points in pictures, true and predicted: in the results, the playground and after transforms."""

import numpy as np
import pytest

from engine.query.results.request import ModelInputs, Prediction, ResultReport
from engine.spec.browse import SamplePicture, SamplePictures
from engine.spec.data import DataInfo, FieldInfo, PreviewInfo, SampleView
from engine.spec.transform_preview import FieldStage, TransformStage
from studio.data.samples.presenter import present_pictures
from studio.data.transforms.stage_presenter import stage_picture
from studio.inspect.playground.answer import present_mask
from studio.inspect.results.presenter import present_samples
from widgets.images.view_model import KeypointView

IMAGE = FieldInfo(name="image", role="input", kind="image", shape=(1, 2, 2), dtype="float32")
POINTS = FieldInfo(
    name="landmarks",
    role="target",
    kind="vector",
    shape=(4,),
    dtype="float32",
    columns=("lefteye_x", "lefteye_y", "righteye_x", "righteye_y"),
    mirror=(1, 0),
)
NAMES = ("lefteye", "righteye")
TRUE, FOUND = (0.25, 0.5, 0.75, 0.5), (0.5, 0.25, 1.5, 0.5)


def report(predictions) -> ResultReport:
    return ResultReport(
        checkpoint="step-4.ckpt",
        split="validation",
        step=4,
        task="regression",
        fields=(IMAGE, POINTS),
        outputs=len(predictions) // 2,
        width=4,
        indices=(7, 8),
        targets=TRUE * 2,
        predictions=predictions,
        losses=(0.1, 0.2),
    )


def overlays(predictions):
    values = {"image": (0.0, 1.0, 0.5, 0.2), "landmarks": TRUE}
    samples = tuple(SampleView(index=index, values=values) for index in (8, 7))
    shown = present_samples(report(predictions), (1, 0), PreviewInfo(split="", samples=samples))
    return [image.overlay for image in shown]


def test_that_results_have_the_true_and_the_predicted_points_of_each_sample():
    first, second = overlays((*TRUE, *FOUND))  # those of samples 7 and 8
    assert isinstance(first, KeypointView)
    assert first.names == NAMES
    np.testing.assert_allclose(first.truth, np.reshape(TRUE, (2, 2)))
    np.testing.assert_allclose(first.prediction, np.reshape(FOUND, (2, 2)))
    np.testing.assert_allclose(second.prediction, np.reshape(TRUE, (2, 2)))


def test_that_other_numbers_than_the_points_are_not_drawn():
    assert [each.prediction for each in overlays((0.1, 0.2, 0.3, 0.4))] == [None, None]


@pytest.mark.parametrize("names", [NAMES, ()])
def test_that_the_playground_draws_predicted_points_over_the_picture(names):
    inputs = ModelInputs(step=4, fields=(), points=names)
    pixels = np.zeros((1, 2, 2), np.float32)
    shown = present_mask(inputs, Prediction(step=4, values=FOUND), pixels)
    if not names:
        assert shown is None
        return
    assert shown is not None
    assert isinstance(shown.overlay, KeypointView)
    assert shown.overlay.truth is None
    np.testing.assert_allclose(shown.overlay.prediction, np.reshape(FOUND, (2, 2)))


def test_that_a_stage_and_a_sample_of_the_gallery_have_their_points():
    image = FieldStage(
        name="image", kind="image", shape=(1, 2, 2), dtype="uint8", pixels=bytes(4), size=(2, 2, 1)
    )
    points = FieldStage(name="landmarks", kind="vector", shape=(4,), dtype="float32", values=FOUND)
    stage = TransformStage(number=0, name="Pad", fields=(image, points))
    data = DataInfo(source="CelebA", samples=2, task="regression", fields=(IMAGE, POINTS))
    moved = stage_picture(stage, data)
    picture = SamplePicture(
        field="image", kind="image", width=2, height=2, channels=1, pixels=bytes(4),
        points=((0.5, 0.25), (1.5, 0.5)), names=NAMES,
    )  # fmt: skip
    pictures, _ = present_pictures((SamplePictures(index=7, pictures=(picture,)),), "en")
    for shown in (moved, pictures[7]):
        assert shown is not None
        assert isinstance(shown.overlay, KeypointView)
        assert shown.overlay.names == NAMES
        np.testing.assert_allclose(shown.overlay.truth, np.reshape(FOUND, (2, 2)))
