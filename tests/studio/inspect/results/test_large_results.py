"""Results of large data: no chart and no list grows with the classes, or with a sample's pixels."""

import numpy as np
from msgspec.structs import replace

from engine.query.results.request import ResultReport
from engine.spec.data import DataInfo, FieldInfo, PreviewInfo, SamplePicture, SampleView
from studio.inspect.results.presenter import Chart, charts
from studio.view.data import present_images

REPORT = ResultReport(
    checkpoint="step-4.ckpt",
    split="test",
    step=4,
    task="classification",
    fields=(),
    matrix=((1, 0), (0, 1)),
)


def test_that_of_very_many_classes_no_matrix_is_offered():
    assert charts(REPORT)[0] is Chart.MATRIX
    assert Chart.MATRIX not in charts(replace(REPORT, matrix=()))


def test_that_pictures_that_were_made_small_stand_with_their_labels():
    image = FieldInfo(
        name="image", kind="image", role="input", dtype="float32", shape=(3, 600, 600)
    )
    label = FieldInfo(
        name="label",
        kind="class",
        role="target",
        dtype="int64",
        shape=(),
        classes=("cat", "dog"),
    )
    info = DataInfo(source="image_folder", samples=2, task="binary", fields=(image, label))
    halves = np.stack([np.zeros((2, 2)), np.ones((2, 2)), np.ones((2, 2))]).astype("<f4")
    picture = SamplePicture(shape=(3, 2, 2), dtype="<f4", content=halves.tobytes())
    sample = SampleView(index=7, values={"label": (1,)}, pictures={"image": picture})
    (view,) = present_images(info, PreviewInfo(split="", samples=(sample,)))
    assert (view.label, view.sublabel) == ("dog", "#7")
    assert np.array_equal(view.pixels, halves)
    assert (view.minimum, view.maximum) == (0, 1)
