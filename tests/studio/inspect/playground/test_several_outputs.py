"""Answers of a model with several outputs, each with its name."""

import numpy as np
import pytest

from engine.query.results.request import ModelInputs, Prediction
from studio.inspect.playground.answer import present_answers, present_picture

SHAPE = ModelInputs(step=4, fields=(), task="classification", classes=("circle", "square"))
PLACE = ModelInputs(step=4, fields=(), answers=("x", "y"), points=("center",))
ANSWER = Prediction(step=4, values=(0.25, 0.75))


def test_that_each_output_has_a_line_and_the_first_picture_is_shown() -> None:
    form = ModelInputs(
        step=4, fields=(), task="classification", classes=SHAPE.classes, judged="kind",
        others={"place": PLACE},
    )  # fmt: skip
    answer = Prediction(
        step=4, values=ANSWER.values, others={"place": Prediction(step=4, values=(0.5, 0.125))}
    )
    text, bars = present_answers(form, answer)
    assert text.splitlines() == ["kind: square  75%", "place: x: 0.5, y: 0.125"]
    assert bars.labels == ("circle", "square")
    view = present_picture(form, answer, np.zeros((3, 8, 8), np.float32))
    assert view is not None
    assert view.overlay.prediction.tolist() == [[0.5, 0.125]]


def test_that_the_classes_of_two_outputs_stand_beside_each_other() -> None:
    form = ModelInputs(
        step=4, fields=(), task="classification", classes=SHAPE.classes, judged="kind",
        others={"again": SHAPE},
    )  # fmt: skip
    answer = Prediction(step=4, values=(0.25, 0.75), others={"again": ANSWER})
    text, bars = present_answers(form, answer)
    assert text.splitlines() == ["kind: square  75%", "again: square  75%"]
    assert bars.labels == ("kind: circle", "kind: square", "again: circle", "again: square")
    assert bars.values[0] == pytest.approx((0.25, 0.75, 0.25, 0.75))
