"""Answer of a trained model in words, as bars and over the picture that was put in."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.query.results.request import FoundBox, ModelInputs, Prediction
from studio.i18n import translate
from studio.view.data import keypoint_view
from studio.view.found_boxes import box_view
from studio.view.wording import number_text
from widgets.images.view_model import ImageView, MaskView
from widgets.plots.view_model import BarsView

_MOST_SHOWN = 12  # numbers of an answer
_MOST_NAMED = 3  # classes of a mask
_MOST_FOUND = 4  # boxes
_DIGITS = 4  # of a number
_EVEN = 0.5  # probability, from which on a label is told
_CERTAIN = 0.5  # score of a box that is told


def present_answers(inputs: ModelInputs, prediction: Prediction) -> tuple[str, BarsView]:
    """Return the answers of all outputs in words, a line each where there are several, and the
    probabilities of all their classes.
    """
    text, bars = present_answer(inputs, prediction)
    if not inputs.others:
        return text, bars
    found = {inputs.judged: (text, bars)}
    for name, form in inputs.others.items():
        if name in prediction.others:
            found[name] = present_answer(form, prediction.others[name])
    line = translate("Playground", "{output}: {numbers}")
    told = [line.format(output=name, numbers=text) for name, (text, _) in found.items()]
    drawn = {name: bars for name, (_, bars) in found.items() if bars.labels}
    if len(drawn) < 2:
        return "\n".join(told), next(iter(drawn.values()), bars)
    values = tuple(value for bars in drawn.values() for value in bars.values[0])
    labels = [f"{name}: {label}" for name, bars in drawn.items() for label in bars.labels]
    title = translate("Playground", "Probability of each class")
    return "\n".join(told), BarsView(labels=tuple(labels), values=(values,), title=title)


def present_picture(
    inputs: ModelInputs, prediction: Prediction, pixels: NDArray[np.float32] | None
) -> ImageView | None:
    """Return the picture that was put in with what the first output that predicts something in it
    says, as :func:`present_mask` does.
    """
    answers = [(inputs, prediction)]
    answers += [
        (form, prediction.others[name])
        for name, form in inputs.others.items()
        if name in prediction.others
    ]
    found = (present_mask(form, answer, pixels) for form, answer in answers)
    return next((view for view in found if view is not None), None)


def present_answer(inputs: ModelInputs, prediction: Prediction) -> tuple[str, BarsView]:
    """Return the answer in words, and the probability of each class."""
    values = prediction.values
    if inputs.finds_boxes:
        return _boxes_text(inputs, prediction.boxes), BarsView(labels=(), values=())
    if prediction.mask:
        return _areas(inputs, values)
    if prediction.following:
        return _continued(inputs, prediction)
    if inputs.task == "regression" or not all(map(math.isfinite, values)):
        numbers = _numbers_text(values, inputs.answers)
        return _named(inputs, numbers), BarsView(labels=(), values=())
    if inputs.has_labels:
        return _labels_text(inputs, values)
    labels = _class_names(inputs, len(values))
    best = max(range(len(values)), key=values.__getitem__)
    bars = BarsView(
        labels=labels, values=(values,), title=translate("Playground", "Probability of each class")
    )
    return f"{labels[best]}  {values[best]:.0%}", bars


def _labels_text(inputs: ModelInputs, values: Sequence[float]) -> tuple[str, BarsView]:
    """Return the labels that a sample is said to have, and the probability of each."""
    is_named = len(inputs.answers) == len(values)
    labels = inputs.answers if is_named else tuple(map(str, range(len(values))))
    chosen = [
        f"{label} {chance:.0%}"
        for label, chance in zip(labels, values, strict=True)
        if chance >= _EVEN
    ]
    title = translate("Playground", "Probability of each label")
    text = ", ".join(chosen) or translate("Playground", "None of the labels")
    return text, BarsView(labels=labels, values=(tuple(values),), title=title)


def _named(inputs: ModelInputs, numbers: str) -> str:
    """Return numbers after the name of the output that they are, where only that says what."""
    if not inputs.output:
        return numbers
    text = translate("Playground", "{output}: {numbers}")
    if inputs.is_loss:
        text = translate("Playground", "Loss {output}: {numbers}")
    return text.format(output=inputs.output, numbers=numbers)


def _continued(inputs: ModelInputs, prediction: Prediction) -> tuple[str, BarsView]:
    """Return what the model writes, and which tokens are the likeliest to come next."""
    names = _class_names(inputs, len(prediction.following))
    likeliest = sorted(enumerate(prediction.following), key=lambda pair: -pair[1])[:_MOST_SHOWN]
    bars = BarsView(
        labels=tuple(_visible(names[at]) for at, _ in likeliest),
        values=(tuple(chance for _, chance in likeliest),),
        title=translate("Playground", "Probability of the next token"),
    )
    text = prediction.continued.strip().replace("\n", " ⏎ ")  # lines would make the page higher
    return text or _visible(names[likeliest[0][0]]), bars


def _visible(token: str) -> str:
    """Return a token with marks for what cannot be seen."""
    return token.replace("\n", "⏎").replace("\t", "⇥").replace(" ", "␣") or "␣"


def _boxes_text(inputs: ModelInputs, boxes: Sequence[FoundBox]) -> str:
    """Return the likeliest of the boxes that are found."""
    certain = [box for box in boxes if box.score >= _CERTAIN]
    if not certain:
        return translate("Playground", "nothing found")
    names = _class_names(inputs, 1 + max(box.label for box in certain))
    shown = [f"{names[box.label]} {box.score:.0%}" for box in certain[:_MOST_FOUND]]
    return ", ".join((*shown, *(("…",) if len(certain) > _MOST_FOUND else ())))


def _areas(inputs: ModelInputs, values: Sequence[float]) -> tuple[str, BarsView]:
    """Return which classes a mask has, the largest first, and the share of each."""
    labels = _class_names(inputs, len(values))
    found = sorted((share, at) for at, share in enumerate(values) if share and at)
    text = ", ".join(f"{labels[at]} {share:.0%}" for share, at in reversed(found[-_MOST_NAMED:]))
    bars = BarsView(
        labels=labels, values=(tuple(values),), title=translate("Playground", "Area of each class")
    )
    return text or f"{labels[0]} 100%", bars


def present_mask(
    inputs: ModelInputs, prediction: Prediction, pixels: NDArray[np.float32] | None
) -> ImageView | None:
    """Return the picture that was put in with the mask, the boxes or the points that are predicted
    for it, if these are.
    """
    if inputs.finds_boxes and pixels is not None:
        shapes = (b"", prediction.shapes)
        boxes = box_view(inputs.classes, None, prediction.boxes, shapes, prediction.shape_size)
        return ImageView(pixels=pixels, overlay=boxes)
    if pixels is not None and inputs.points and len(prediction.values) == 2 * len(inputs.points):
        points = keypoint_view(inputs.points, prediction=prediction.values)
        return ImageView(pixels=pixels, overlay=points)
    if not prediction.mask or pixels is None:
        return None
    mask = np.frombuffer(prediction.mask, np.int16).reshape(prediction.size)
    classes = _class_names(inputs, len(prediction.values))
    return ImageView(pixels=pixels, overlay=MaskView(classes=classes, prediction=mask))


def _class_names(inputs: ModelInputs, count: int) -> tuple[str, ...]:
    """Return what the classes of an answer are called; those that the data lack by number."""
    names = dict(enumerate(inputs.classes))
    return tuple(names.get(index, str(index)) for index in range(count))


def _numbers_text(values: Sequence[float], names: Sequence[str]) -> str:
    """Return the numbers of an answer, with what they are called where that is known."""
    if len(values) <= _MOST_SHOWN:
        texts = [number_text(value, digits=_DIGITS) for value in values]
        if len(names) == len(values):
            texts = [f"{name}: {text}" for name, text in zip(names, texts, strict=True)]
        return ", ".join(texts)
    text = translate("Playground", "{count} numbers from {low} to {high}")
    low, high = (number_text(end, digits=_DIGITS) for end in (min(values), max(values)))
    return text.format(count=f"{len(values):,}", low=low, high=high)
