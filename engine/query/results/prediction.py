"""One sample of the user's own through a trained model, prepared as the training data was."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import torch
from torch import Tensor

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.query.results.boxes import box_prediction
from engine.query.results.masks import class_bytes
from engine.query.results.request import (
    FileInput,
    ModelInput,
    ModelInputs,
    Prediction,
    TextTokens,
)
from engine.query.trained import Trained
from engine.spec.data import BOX_KINDS, FieldInfo
from engine.train.losses import Outputs
from engine.train.training import Training, predictions

NO_TEXTS: Mapping[str, str] = MappingProxyType({})
_PICTURE_AXES = 3


def model_inputs(trained: Trained, sample: int = -1) -> ModelInputs:
    """Return what the model reads, with a sample of the source as an example: the first one of the
    training part where there is none of that number. Raises :class:`DiagnosticError` where it
    cannot be read.
    """
    training = trained.training
    if not 0 <= sample < training.data.source.samples:
        sample = int(training.data.indices["train"][0])
    example = training.data.raw([sample])
    target = training.data.info.field(training.comparison.field)
    return ModelInputs(
        step=trained.info.step,
        fields=tuple(
            _input(training, name, example[name], sample)
            for name in training.input_fields
            if _info(training, name).kind not in BOX_KINDS  # true ones, of which there are none
        ),
        classes=target.classes if target else (),
        task=training.comparison.task,
        finds_boxes=training.comparison.boxes is not None,
    )


def take_file(trained: Trained, field: str, path: Path) -> FileInput:
    """Return a sound or a video of the user as the model reads it, before normalisation.

    Raises :class:`DiagnosticError` with what is wrong with the file, D368 where the field is
    neither, and what a transform says.
    """
    data = trained.training.data
    value = data.source.value_of_file(field, path)
    if value is None:
        raise DiagnosticError.of("D368", name=field)
    if data.preparation is not None:
        first = int(data.indices["train"][0])
        sample = {name: values[0] for name, values in data.source.read([first]).items()}
        value = data.preparation.apply({**sample, field: value}, 0, 0, 0)[field]
    return FileInput(values=tuple(value.flatten().tolist()))


def predict(
    trained: Trained, values: Mapping[str, Sequence[float]], texts: Mapping[str, str] = NO_TEXTS
) -> Prediction:
    """Return what the model says about a sample: ``values`` are flat lists by field, before
    normalisation, and ``texts`` those of fields of subwords.

    Raises :class:`DiagnosticError`: V002 where a field has another number of values than the model
    reads, V003 where a word is none of the data's.
    """
    cut = {name: _cut(trained.training, name, text) for name, text in texts.items()}
    values = {**values, **{name: _filled(trained.training, name, cut[name]) for name in cut}}
    with trained.in_use() as training:
        batch = {name: _tensor(training, name, values) for name in training.input_fields}
        outputs = training.model(*[batch[name] for name in training.input_fields])
        if training.comparison.boxes is not None:
            return box_prediction(trained, outputs, _picture_size(training))
        predicted = predictions(training, outputs)
        if training.comparison.is_mask:
            return _mask_prediction(trained, outputs)
    return Prediction(
        step=trained.info.step, values=tuple(predicted.flatten().tolist()), tokens=cut
    )


def _cut(training: Training, name: str, text: str) -> TextTokens:
    """Return a text as the data of the run was cut. Raises V002 for a field of another kind."""
    tokenizer = training.data.source.tokenizers().get(name)
    if tokenizer is None:
        params: dict[str, str | int | float] = {"field": name, "given": 0, "wanted": 1}
        raise DiagnosticError(Diagnostic(code="V002", params=params))
    numbers = tokenizer.encode([text])[0].tolist()
    words = tuple(tokenizer.words[number] for number in numbers)
    return TextTokens(words=words, numbers=tuple(numbers))


def _filled(training: Training, name: str, tokens: TextTokens) -> tuple[float, ...]:
    """Return the numbers of the first tokens of a text, filled up with padding."""
    length, padding = _info(training, name).shape[0], _info(training, name).padding
    return (*tokens.numbers, *[padding] * length)[:length]


def _picture_size(training: Training) -> tuple[int, int]:
    """Return height and width of the pictures that the model reads."""
    shapes = (_info(training, name).shape for name in training.input_fields)
    return next(((shape[1], shape[2]) for shape in shapes if len(shape) == _PICTURE_AXES), (1, 1))


def _mask_prediction(trained: Trained, outputs: Outputs) -> Prediction:
    """Return the class of each pixel and the share of each class.

    Raises :class:`DiagnosticError` V001 where the output is no scores for pixels.
    """
    training = trained.training
    name = training.comparison.field
    form = training.data.parts["train"].form(name)
    example = form.new_zeros(1, *form.shape[1:], device=training.device)
    pair = training.comparison.pick(outputs, {name: example})
    if pair is None:
        raise DiagnosticError.of("V001")
    mask = pair[0][0].argmax(dim=0).cpu()
    counts = mask.flatten().bincount(minlength=pair[0].shape[1])
    return Prediction(
        step=trained.info.step,
        values=tuple((counts / mask.numel()).tolist()),
        size=(int(mask.shape[0]), int(mask.shape[1])),
        mask=class_bytes(mask),
    )


def _input(training: Training, name: str, example: Tensor, sample: int) -> ModelInput:
    low, high = _range(training, name)
    return ModelInput(
        info=_info(training, name),
        low=low,
        high=high,
        example=tuple(example.flatten().tolist()),
        text=training.data.source.text(name, sample),
    )


def _info(training: Training, name: str) -> FieldInfo:
    return next(info for info in training.data.info.fields if info.name == name)


def _range(training: Training, name: str) -> tuple[float, float]:
    """Return the ends of what the data holds: of a sentence those of its vocabulary, of files and
    of transformed samples those of the first training sample.
    """
    info = _info(training, name)
    if info.words:
        return 0.0, len(info.words) - 1.0
    values = None
    if training.data.preparation is None:
        values = training.data.source.column(name)
    if values is None:
        values = training.data.examples("train", 1)[name]
    return float(values.min()), float(values.max())


def _tensor(training: Training, name: str, values: Mapping[str, Sequence[float]]) -> Tensor:
    """Return a batch of one; of true boxes that the model learns from there are none."""
    if _info(training, name).kind in BOX_KINDS:
        form = training.data.parts["train"].form(name)
        return form.new_zeros((1, 0, *form.shape[2:]), device=training.device)
    example = training.data.examples("train", 1)[name]
    given = torch.tensor(list(values.get(name, ())), dtype=torch.float64)
    wanted = example.numel()
    if given.numel() != wanted:
        params: dict[str, str | int | float] = {
            "field": name,
            "given": given.numel(),
            "wanted": wanted,
        }
        raise DiagnosticError(Diagnostic(code="V002", params=params))
    low, high = _range(training, name)
    if not example.dtype.is_floating_point and not low <= given.min() <= given.max() <= high:
        params = {"field": name, "low": int(low), "high": int(high)}
        raise DiagnosticError(Diagnostic(code="V003", params=params))
    return training.normalized(name, given.to(example.dtype).reshape(example.shape))
