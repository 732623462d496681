"""Results and answers of a model that gives pictures: very many numbers a sample."""

import math

import pytest
from msgspec.structs import replace

from engine.query.results.request import Prediction, ResultReport
from engine.spec.data import PreviewInfo, SampleView
from studio.inspect.playground.answer import present_answer
from studio.inspect.results.numbers import sample_of
from studio.inspect.results.presenter import (
    Chart,
    as_csv,
    present_sample_rows,
    present_samples,
    present_xy,
)
from tests.studio.conftest import DIGITS
from tests.studio.inspect.results.test_results import INPUTS


@pytest.mark.row("P18")
def test_that_the_many_numbers_of_a_picture_are_one_cloud_and_no_wall_of_digits():
    values = tuple(map(float, range(128)))
    pictures = ResultReport(
        checkpoint="",
        split="test",
        step=1,
        task="regression",
        fields=DIGITS.fields,
        outputs=64,
        width=1024,
        indices=(7, 9),
        targets=values,
        predictions=values,
        losses=(0.5, 0.25),
    )
    cloud, guide = present_xy(pictures, Chart.TRUTH).lines
    assert (cloud.x.tolist(), guide.kind) == (list(values), "guide")
    assert [sample_of(pictures, point) for point in (0, 63, 64, 127)] == [0, 0, 1, 1]
    pixels = {field.name: (0.5,) * math.prod(field.shape) for field in DIGITS.fields}
    preview = PreviewInfo(
        split="test", samples=tuple(SampleView(index=at, values=pixels) for at in (7, 9))
    )
    images = present_samples(pictures, (0, 1), preview)
    assert [image.label for image in images] == ["#7", "#9"]
    rows = present_sample_rows(pictures, (0, 1), preview).rows
    assert rows[1].cells[1] == "64, 65, 66, 67, …"
    assert as_csv(pictures).decode().splitlines() == ["index,loss", "7,0.5", "9,0.25"]
    inputs = replace(INPUTS, task="regression")
    text, bars = present_answer(inputs, Prediction(step=1, values=values))
    assert (text, bars.labels) == ("128 numbers from 0 to 127", ())
