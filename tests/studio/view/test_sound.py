"""Sounds of the data in the window: pictures in Results, no columns of numbers."""

import numpy as np

from engine.spec.data import DataInfo, FieldInfo, PreviewInfo, SampleView
from studio.view.data import present_images, present_rows

SOUND = FieldInfo(name="sound", role="input", kind="sound", shape=(1, 8, 12), dtype="float32")
LABEL = FieldInfo(
    name="label", role="target", kind="class", shape=(), dtype="int64", classes=("owl", "rain")
)
INFO = DataInfo(source="", samples=2, task="classification", fields=(SOUND, LABEL))


def sample(index: int) -> SampleView:
    values = np.full((8, 12), -90.0)
    values[index, 6:] = 0.0  # a tone in one band
    return SampleView(
        index=index, values={"sound": tuple(values.ravel().tolist()), "label": (float(index),)}
    )


def test_that_sounds_are_pictures_with_their_labels_low_bands_below(qapp):
    preview = PreviewInfo(split="test", samples=(sample(0), sample(1)))
    views = present_images(INFO, preview)
    assert [view.label for view in views] == ["owl", "rain"]
    rows = [view.pixels.astype(int).sum(axis=0).max(axis=1).argmax() for view in views]
    assert rows[0] > rows[1]
    assert all(view.pixels.dtype == np.uint8 for view in views)
    columns = present_rows(INFO, preview).columns
    assert [column.key for column in columns] == ["index", "label.0"]
