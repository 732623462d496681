"""Samples of the data as pictures with their labels."""

import numpy as np
import pytest

from engine.spec.data import PreviewInfo, SampleView
from studio.presenters.data import present_images
from tests.studio.conftest import DIGITS, IRIS


@pytest.mark.row("S220", "S144")
def test_that_samples_are_pictures_with_their_labels_in_one_range():
    bright = tuple(float(number) for number in range(64))
    samples = (
        SampleView(index=7, values={"image": bright, "label": (1,)}),
        SampleView(index=3, values={"image": (0.5,) * 64, "label": (0,)}),
    )
    views = present_images(DIGITS, PreviewInfo(split="train", samples=samples))
    assert [(view.label, view.sublabel) for view in views] == [("1", "#7"), ("0", "#3")]
    assert {(view.minimum, view.maximum) for view in views} == {(0.0, 63.0)}
    assert np.array_equal(views[0].pixels, np.arange(64, dtype=np.float32).reshape(1, 8, 8))


def test_that_samples_without_pictures_give_none():
    sample = SampleView(index=0, values={"features": (1.0, 2.0, 3.0, 4.0), "species": (0,)})
    assert present_images(IRIS, PreviewInfo(split="train", samples=(sample,))) == ()
