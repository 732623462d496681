"""One sample of the user's own through a trained model, prepared as the training data was."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import torch
from msgspec.structs import replace
from torch import Tensor

from engine.data.read.picture_form import PictureForm
from engine.data.read.row import NumberCell
from engine.data.source.row_form import ROW_FIELDS, RowForm
from engine.data.transform.chain import image_numbers
from engine.data.transform.padding import padding_values
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.graph.diffusion import diffusion_parts
from engine.graph.generator import generator_parts
from engine.graph.latent import latent_parts
from engine.query.decimal_mark import marks_of_typed, with_marks
from engine.query.results.boxes import box_prediction
from engine.query.results.evaluation import compared_classes
from engine.query.results.masks import class_bytes
from engine.query.results.output_name import answer_names
from engine.query.results.request import (
    FileInput,
    ModelInput,
    ModelInputs,
    Prediction,
    TypedColumn,
)
from engine.query.results.sequences import continued
from engine.query.results.text_tokens import TextTokens
from engine.query.results.token_writer import continued_field
from engine.query.trained import Trained
from engine.spec.data import PADDING_KINDS, PIXEL_KINDS, ROW_KINDS, FieldInfo
from engine.spec.judged import judged_outputs
from engine.spec.output import MODEL_OUTPUT
from engine.train.losses import Outputs
from engine.train.predicted import predictions
from engine.train.training import Training

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
    columns, row_fields = _columns(training, sample)
    diffusion = diffusion_parts(trained.run.document.graph)
    latent = latent_parts(trained.run.document.graph)
    generator = generator_parts(trained.run.document.graph)
    judged = judged_outputs(training.spec, training.code)[0].output
    answer = _described(training, trained.info.step)
    return replace(
        answer,
        fields=tuple(
            _input(training, name, example[name], sample)
            for name in training.input_fields
            if not _is_written_by_model(_info(training, name))
        ),
        columns=columns,
        row_fields=row_fields,
        continues=continued_field(training),
        diffuses="" if diffusion is None else diffusion.field,
        decodes="" if latent is None else latent.field,
        generates="" if generator is None else generator.field,
        judged=judged if training.others else "",
        others={
            name: _described(training.judging(name), trained.info.step) for name in training.others
        },
    )


def _described(training: Training, step: int) -> ModelInputs:
    """Return what the model answers with, without what it reads."""
    target = training.data.info.field(training.comparison.field)
    output = _output(training)
    return ModelInputs(
        step=step,
        fields=(),
        classes=compared_classes(training),
        task=training.comparison.task,
        finds_boxes=training.comparison.boxes is not None,
        answers=() if target is None else answer_names(training.data.source, target),
        points=() if target is None else target.point_names,
        output=output,
        has_labels=bool(training.comparison.labels),
        is_loss=any(
            term.type == MODEL_OUTPUT and f"model.{output}" in term.bindings.values()
            for term in training.loss.terms
        ),
    )


def _output(training: Training) -> str:
    """Return the name of the output that :func:`predict` answers with; none where it is compared
    with a field of the data, so that this says what it is.
    """
    is_compared = training.comparison.field or training.comparison.boxes is not None
    return "" if is_compared else training.loss.terms[0].output_names[0]


def _is_written_by_model(info: FieldInfo) -> bool:
    """Return whether a field is known in training alone: true boxes, of which there are none, or
    the tokens of a text before the one that is predicted; or follows from another, as what tells
    of padding does.
    """
    return info.kind in (*ROW_KINDS, *PADDING_KINDS) or info.start is not None


def _columns(training: Training, sample: int) -> tuple[tuple[TypedColumn, ...], tuple[str, ...]]:
    """Return the columns of a table that the model reads, and the fields that they make."""
    source = training.data.source
    form = source.row_form
    fields = tuple(name for name in training.input_fields if name in ROW_FIELDS)
    if form is None or not fields:
        return (), ()
    columns = tuple(
        TypedColumn(
            name=name, kind=kind, text=source.text(name, sample), choices=form.choices(name)
        )
        for name, kind in form.kinds.items()
    )
    return columns, fields


def take_file(trained: Trained, field: str, path: Path) -> FileInput:
    """Return a picture, a sound or a video of the user as the model reads it, before normalisation.

    Raises :class:`DiagnosticError` with what is wrong with the file, D368 where the field is
    none of them, and what a transform says.
    """
    return FileInput(values=_of_file(trained.training, field, path))


def _of_file(training: Training, field: str, path: Path) -> tuple[float, ...]:
    data = training.data
    value = data.source.value_of_file(field, path)
    if value is None:
        raise DiagnosticError.of("D368", name=field)
    if data.preparation is not None:
        first = int(data.indices["train"][0])
        sample = {name: values[0] for name, values in data.source.read([first]).items()}
        value = data.preparation.apply({**sample, field: value}, 0, 0, 0)[field]
    if _info(training, field).kind in PIXEL_KINDS:
        value = image_numbers(value)
    return tuple(value.flatten().tolist())


def predict(
    trained: Trained,
    values: Mapping[str, Sequence[float]],
    texts: Mapping[str, str] = NO_TEXTS,
    *,
    cells: Mapping[str, str] = NO_TEXTS,
    files: Mapping[str, str] = NO_TEXTS,
) -> Prediction:
    """Return what the model says about a sample: ``values`` are flat lists by field, before
    normalisation, ``texts`` those of fields of tokens, ``cells`` those of a row by column and
    ``files`` paths by field.

    Raises :class:`DiagnosticError`: V002 where a field has another number of values than the model
    reads, V003 where a word is none of the data's, D460 and D461 for cells, D368 and what reading
    raises for files.
    """
    values, cut = sample_values(trained.training, values, texts, cells, files)
    with trained.in_use() as training:
        batch = sample_batch(training, values)
        outputs = training.model(*[batch[name] for name in training.input_fields])
        if training.comparison.boxes is not None:
            return box_prediction(trained, outputs, _picture_size(training))
        answer = _answered(trained, training, batch, outputs)
        others = {
            name: _answered(trained, training.judging(name), batch, outputs)
            for name in training.others
        }
    return replace(answer, tokens=cut, notices=_doubts(training, cells), others=others)


def _answered(
    trained: Trained, training: Training, batch: Mapping[str, Tensor], outputs: Outputs
) -> Prediction:
    """Return what an output says about a sample."""
    step = trained.info.step
    predicted = predictions(training, outputs)
    if training.comparison.is_mask:
        return _mask_prediction(training, step, outputs)
    following, text = continued(training, batch, outputs)
    values = tuple(predicted.flatten().tolist())
    return Prediction(step=step, values=values, following=following, continued=text)


def sample_values(
    training: Training,
    values: Mapping[str, Sequence[float]],
    texts: Mapping[str, str],
    cells: Mapping[str, str],
    files: Mapping[str, str],
) -> tuple[dict[str, Sequence[float]], dict[str, TextTokens]]:
    """Return what was given for a sample as values by field, and the tokens of its texts; as
    :func:`predict` has them and raises.
    """
    cut = {name: _cut(training, name, text) for name, text in texts.items()}
    infos = [_info(training, name) for name in training.input_fields]
    begun = {info.name: info.filled(()) for info in infos if info.start is not None}
    continues = continued_field(training)
    read: dict[str, Sequence[float]] = {}
    for name, tokens in cut.items():
        info, numbers = _info(training, name), tokens.numbers
        read[name] = info.filled(numbers[-info.tokens :] if name == continues else numbers)
    found: dict[str, Sequence[float]] = {**begun, **values, **read}
    form = training.data.source.row_form
    if cells and form is not None:
        marks = marks_of_typed(_numbers(form), cells, training.data.source)[0]
        read_cells = with_marks(form, marks).values(cells)
        found |= {name: each.tolist() for name, each in read_cells.items()}
    found |= {name: _of_file(training, name, Path(path)) for name, path in files.items()}
    return found, cut


def _numbers(form: RowForm) -> list[NumberCell]:
    """Return the columns of a row that hold numbers."""
    cells = (each for each in form.features if isinstance(each, NumberCell))
    return [each for each in cells if each.kind == "number"]


def _doubts(training: Training, cells: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    """Return which numbers of a row may be meant in another way than they are read."""
    form = training.data.source.row_form
    if not cells or form is None:
        return ()
    return marks_of_typed(_numbers(form), cells, training.data.source)[1]


def _cut(training: Training, name: str, text: str) -> TextTokens:
    """Return a text as the data of the run was cut. Raises V002 for a field of another kind."""
    tokenizer = training.data.source.tokenizers().get(name)
    info = training.data.info.field(name)
    if tokenizer is None and info is not None and info.words:
        tokens = tuple(info.vocabulary.tokens(text))
        return TextTokens(words=tokens, numbers=info.vocabulary.encode(text, len(tokens)))
    if tokenizer is None:
        params: dict[str, str | int | float] = {"field": name, "given": 0, "wanted": 1}
        raise DiagnosticError(Diagnostic(code="V002", params=params))
    numbers = tokenizer.encode([text])[0].tolist()
    words = tuple(tokenizer.words[number] for number in numbers)
    return TextTokens(words=words, numbers=tuple(numbers))


def _picture_size(training: Training) -> tuple[int, int]:
    """Return height and width of the pictures that the model reads."""
    shapes = (_info(training, name).shape for name in training.input_fields)
    return next(((shape[1], shape[2]) for shape in shapes if len(shape) == _PICTURE_AXES), (1, 1))


def _mask_prediction(training: Training, step: int, outputs: Outputs) -> Prediction:
    """Return the class of each pixel and the share of each class.

    Raises :class:`DiagnosticError` V001 where the output is no scores for pixels.
    """
    name = training.comparison.field
    form = training.data.parts["train"].form(name)
    example = form.new_zeros(1, *form.shape[1:], device=training.device)
    pair = training.comparison.pick(outputs, {name: example})
    if pair is None:
        raise DiagnosticError.of("V001")
    mask = pair[0][0].argmax(dim=0).cpu()
    counts = mask.flatten().bincount(minlength=pair[0].shape[1])
    return Prediction(
        step=step,
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
        columns=training.data.source.value_names(name),
    )


def _info(training: Training, name: str) -> FieldInfo:
    return next(info for info in training.data.info.fields if info.name == name)


def _range(training: Training, name: str) -> tuple[float, float]:
    """Return the ends of what the data holds: of a sentence those of its vocabulary, of pictures in
    files black and white, of other files and of transformed samples those of the first training
    sample.
    """
    info = _info(training, name)
    if info.words:
        return 0.0, len(info.words) - 1.0
    if isinstance(training.data.source.file_form(name), PictureForm):
        example = training.data.examples("train", 1)[name]
        return min(0.0, float(example.min())), max(1.0, float(example.max()))
    values = None
    if training.data.preparation is None:
        values = training.data.source.column(name)
    if values is None:
        values = training.data.examples("train", 1)[name]
    return float(values.min()), float(values.max())


def sample_batch(training: Training, values: Mapping[str, Sequence[float]]) -> dict[str, Tensor]:
    """Return the inputs of the model as a batch of one, which is filled up nowhere."""
    padding = training.data.collation.fields
    told = {field.info.name for field in padding.values()}
    read = {name for name in training.input_fields if name not in told}
    read |= {name for name, field in padding.items() if field.info.name in training.input_fields}
    batch = {name: _tensor(training, name, values) for name in read}
    added = padding_values(padding, batch, batch)
    return batch | {name: each.to(training.device) for name, each in added.items()}


def _tensor(training: Training, name: str, values: Mapping[str, Sequence[float]]) -> Tensor:
    """Return a batch of one; of true boxes that the model learns from there are none."""
    if _info(training, name).kind in ROW_KINDS:
        form = training.data.parts["train"].form(name)
        return form.new_zeros((1, 0, *form.shape[2:]), device=training.device)
    example = training.data.examples("train", 1)[name]
    given = torch.tensor(list(values.get(name, ())), dtype=torch.float64)
    longest = _info(training, name).longest
    wanted = min(max(given.numel(), 1), longest) if longest else example.numel()
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
    shape = (1, -1) if longest else example.shape
    return training.normalized(name, given.to(example.dtype).reshape(shape))
