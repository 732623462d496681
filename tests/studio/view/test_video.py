"""Videos of the data in the window: pictures in Results, no columns of numbers."""

import numpy as np

from engine.spec.data import DataInfo, FieldInfo, PreviewInfo, SampleView
from studio.view.data import present_images, present_rows

VIDEO = FieldInfo(name="video", role="input", kind="video", shape=(3, 2, 4, 6), dtype="float32")
LABEL = FieldInfo(
    name="label", role="target", kind="class", shape=(), dtype="int64", classes=("left", "right")
)
INFO = DataInfo(source="", samples=2, task="classification", fields=(VIDEO, LABEL))


def sample(index: int) -> SampleView:
    values = np.zeros(VIDEO.shape)
    values[:, index] = 1.0  # the first frame is white, or the second
    return SampleView(
        index=index, values={"video": tuple(values.ravel().tolist()), "label": (float(index),)}
    )


def test_that_videos_are_pictures_with_their_labels_frames_from_left_to_right(qapp):
    preview = PreviewInfo(split="test", samples=(sample(0), sample(1)))
    views = present_images(INFO, preview)
    assert [view.label for view in views] == ["left", "right"]
    assert [int(view.pixels[0, 0, 0]) for view in views] == [255, 0]
    assert [int(view.pixels[0, 0, -1]) for view in views] == [0, 255]
    columns = present_rows(INFO, preview).columns
    assert [column.key for column in columns] == ["index", "label.0"]
