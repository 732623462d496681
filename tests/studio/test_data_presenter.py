"""Samples of the data as pictures with their labels."""

import numpy as np
import pytest

from engine.spec.data import DataInfo, FieldInfo, PreviewInfo, SampleView
from studio.presenters.data import present_facts, present_images, present_rows
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


@pytest.mark.row("P19")
def test_that_sentences_are_shown_as_they_were_written_and_as_numbers(qapp):
    words = ("<pad>", "<unk>", "the", "sea")
    sentence = FieldInfo(
        name="sentence", role="input", kind="sequence", shape=(3,), dtype="int64", words=words
    )
    info = DataInfo(
        source="s", samples=1, task="classification", fields=(sentence, DIGITS.fields[1])
    )
    sample = SampleView(
        index=5, values={"sentence": (2, 3, 0), "label": (1,)}, texts={"sentence": "The sea!"}
    )
    preview = PreviewInfo(split="train", samples=(sample,))
    assert present_rows(info, preview).rows[0].cells == (5, "The sea!", "2 3 0", "1")
    assert present_rows(info, preview, with_numbers=False).rows[0].cells == (5, "The sea!", "1")
    assert ("sentence", "input, 3, int64, 2 words") in present_facts(info)
