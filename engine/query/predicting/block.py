"""What a model says about a batch, as columns of a file of predictions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from engine.data.read.placement import Placement
from engine.diagnostics import DiagnosticError
from engine.query.predicting.masks import MaskFolder
from engine.query.predicting.request import PredictionFormat
from engine.query.results.boxes import NO_SHAPE, found_shapes, likeliest
from engine.query.results.evaluation import class_chances, class_names
from engine.query.results.samples import without_ignored
from engine.query.results.sequences import continued
from engine.spec.vocabulary import UNKNOWN
from engine.train.box_comparison import BoxComparison
from engine.train.losses import Batch, Outputs
from engine.train.running_text import is_sequence
from engine.train.training import Training
from engine.train.written_text import written_text, written_texts

SAMPLE, PREDICTION, TRUTH, MASK = "sample", "prediction", "truth", "mask"
PIXELS = "pixels"
"""The column that says whose pixels boxes and masks are given in: of each picture as it came, or of
what the model reads.
"""

_OF_PICTURE, _OF_MODEL = "picture", "model"
_UNSEEN = 255
"""The value in a file of a mask for what the model does not see of a picture, as Pascal VOC has it
for what is of no class.
"""

_COUNTED = 1 << 20  # pixels at a time
_MOST_UNSEEN = 65_535  # where there are more classes than that
_SIDES = ("left", "top", "right", "bottom")
_IMAGE_AXES = 4  # of a batch of them
MATRICES = ("probability", PREDICTION, "share")
"""The groups of columns of which one can be all of a file."""

_HALF = 0.5  # from which on one of several labels is predicted


@dataclass(frozen=True)
class OutColumn:
    """A column of a file: texts or numbers, one a row. Columns of one ``group`` are a matrix where
    a format has such.
    """

    name: str
    values: Sequence[str] | np.ndarray
    group: str = ""


Block = list[OutColumn]
"""Columns with as many values each."""


class OutputReader:
    """Turns outputs of a model into columns, whose names are the same for all batches."""

    def __init__(self, training: Training, masks: MaskFolder | None) -> None:
        self._training = training
        self._masks = masks
        self._target = training.data.info.field(training.comparison.field)

    @property
    def has_masks(self) -> bool:
        """Whether masks are predicted, which are files of their own."""
        comparison = self._training.comparison
        return comparison.is_mask or (comparison.boxes is not None and bool(comparison.boxes.masks))

    @property
    def is_placed(self) -> bool:
        """Whether something lies on a picture: boxes or masks."""
        return self._training.comparison.boxes is not None or self.has_masks

    def block(
        self,
        names: Sequence[str],
        batch: Batch,
        outputs: Outputs,
        truths: Block,
        placements: Sequence[Placement | None] = (),
    ) -> Block:
        """Return the rows of a batch: for each sample, by its name, what is predicted and its
        ``truths``; of boxes a row for each that is found, without truths. ``placements`` say where
        the picture of each sample lies in what the model reads; without one, boxes and masks are
        in pixels of that.

        Raises :class:`DiagnosticError` V001 where the output is nothing that the data has, V024
        where no boxes are found.
        """
        comparison = self._training.comparison
        if comparison.boxes is not None:
            return self._boxes(comparison.boxes, names, batch, outputs, placements)
        block = [OutColumn(SAMPLE, names), *self.columns(names, batch, outputs, placements)]
        return [*block, *apart(block, truths)]

    def columns(
        self,
        names: Sequence[str],
        batch: Batch,
        outputs: Outputs,
        placements: Sequence[Placement | None] = (),
    ) -> Block:
        """Return what is predicted for the samples of a batch but boxes, as :meth:`block` does and
        raises; ``names`` are those of the files of masks.
        """
        if self._training.comparison.is_mask:
            return self._of_masks(names, batch, outputs, placements)
        return self._columns(batch, outputs)

    def _columns(self, batch: Batch, outputs: Outputs) -> Block:
        """Return what is predicted for the samples of a batch."""
        training = self._training
        comparison = training.comparison
        pair = comparison.pick(outputs, _with_target(training, batch))
        if pair is None:
            return self._unknown(batch, outputs)
        predicted, target = pair
        if is_sequence(comparison, *pair):
            return self._texts(batch, outputs, predicted, target)
        size = len(predicted)
        if comparison.task == "classification":
            return self._classes(class_chances(predicted))
        prepared = comparison.prepared(predicted, target)[0]
        if comparison.task == "regression":
            return self._numbers(prepared)
        if prepared.numel() == size:
            return self._classes(class_chances(prepared))
        return self._labels(prepared.reshape(size, -1))

    def truths(self, batch: Batch, indices: Sequence[int]) -> Block:
        """Return what is right for the samples of a batch of the data of the run, by their indices
        in it: of texts what is written there, where the data says that.
        """
        info, field = self._target, self._training.comparison.field
        target = batch.get(field)
        if info is None or target is None or info.kind in ("mask", "box_classes"):
            return []
        if info.words or (info.classes and target.ndim == 2):
            kept = without_ignored(target.cpu().long(), self._training.comparison.ignored)
            source = self._training.data.source
            texts = [source.text(info.name, index) for index in indices] if info.words else []
            if not any(texts):
                texts = [written_text(self._training, info, row, row) for row in kept]
            return [OutColumn(TRUTH, texts)]
        if info.classes and not target.is_floating_point():
            numbers = without_ignored(target.cpu(), self._training.comparison.ignored).tolist()
            names = info.classes
            return [OutColumn(TRUTH, [names[at] if 0 <= at < len(names) else "" for at in numbers])]
        if self._training.comparison.task == "binary" and target[0].numel() == 1:
            names = class_names(self._training)
            return [OutColumn(TRUTH, [names[int(at)] for at in target.flatten().tolist()])]
        values = _array(target.reshape(len(target), -1))
        names = self._value_names(values.shape[1])
        return [
            OutColumn(_named(TRUTH, name, len(names)), values[:, at], TRUTH)
            for at, name in enumerate(names)
        ]

    def _of_masks(
        self,
        names: Sequence[str],
        batch: Batch,
        outputs: Outputs,
        placements: Sequence[Placement | None],
    ) -> Block:
        """Write the class of each pixel to a file, and return which share each class has of those
        that the model sees.
        """
        pair = self._training.comparison.pick(outputs, _with_target(self._training, batch))
        if pair is None:
            raise DiagnosticError.of("V001")
        classes = list(class_names(self._training))
        classes += [str(number) for number in range(len(classes), pair[0].shape[1])]
        unseen = _UNSEEN if len(classes) <= _UNSEEN else _MOST_UNSEEN
        canvas = _canvas(self._training, batch)
        files: list[str] = []
        shares: list[np.ndarray] = []
        for name, mask, placement in zip(
            names, pair[0].argmax(dim=1).cpu(), placements, strict=True
        ):
            numbers = mask.numpy().astype(np.uint8 if unseen == _UNSEEN else np.uint16)
            written = _laid_back(numbers, placement, canvas, unseen)
            counts = _counts(written, len(classes))
            shares.append((counts / max(1, counts.sum())).astype(np.float32))
            files.append(self._written(name, written))
        table = np.stack(shares)
        return [
            OutColumn(MASK, files),
            OutColumn(PIXELS, _whose(placements)),
            *(OutColumn(f"share_{name}", table[:, at], "share") for at, name in enumerate(classes)),
        ]

    def _boxes(
        self,
        comparison: BoxComparison,
        names: Sequence[str],
        batch: Batch,
        outputs: Outputs,
        placements: Sequence[Placement | None],
    ) -> Block:
        """Return the boxes that are found, the likeliest of each picture first, in pixels of the
        picture as it came, where it is known how it lies in what the model reads.
        """
        found = comparison.found(outputs)
        if found is None:
            raise DiagnosticError.of("V024")
        canvas = _canvas(self._training, batch)
        masks = self._shapes(comparison, names, outputs, placements, canvas)
        found = likeliest(found)
        is_found = found.scores > 0
        rows, ranks = is_found.nonzero(as_tuple=True)
        labels = found.labels[is_found].tolist()
        classes = comparison.classes
        sizes = np.array([canvas if each is None else each.picture for each in placements])
        corners = _array(_box_rows(found.boxes, is_found, placements))
        whose = _whose(placements)
        block: Block = [
            OutColumn(SAMPLE, [str(names[row]) for row in rows.tolist()]),
            OutColumn(
                PREDICTION,
                [classes[at] if at < len(classes) else str(at) for at in labels],
            ),
            OutColumn("score", _array(found.scores[is_found])),
            *(OutColumn(side, corners[:, at], "box") for at, side in enumerate(_SIDES)),
            OutColumn("picture_width", sizes[rows, 1]),
            OutColumn("picture_height", sizes[rows, 0]),
            OutColumn(PIXELS, [whose[row] for row in rows.tolist()]),
        ]
        if masks:
            block += [
                OutColumn(MASK, [masks[row] for row in rows.tolist()]),
                OutColumn("mask_value", (ranks + 1).numpy()),
            ]
        return block

    def _shapes(
        self,
        comparison: BoxComparison,
        names: Sequence[str],
        outputs: Outputs,
        placements: Sequence[Placement | None],
        canvas: tuple[int, int],
    ) -> list[str]:
        """Write which box each pixel is of to files, where masks of objects are found; 0 is none,
        also for what the model does not see of a picture.
        """
        found = comparison.found(outputs)
        if found is None or comparison.found_masks(outputs) is None:
            return []
        files: list[str] = []
        for row, (name, placement) in enumerate(zip(names, placements, strict=True)):
            shapes = _numbers_of(found_shapes(comparison, outputs, found, row, 1)).numpy()
            files.append(self._written(name, _laid_back(shapes, placement, canvas, 0)))
        return files

    def _written(self, name: str, mask: np.ndarray) -> str:
        if self._masks is None:
            raise DiagnosticError.of("P061")
        return self._masks.add(name, mask)

    def _classes(self, chances: Tensor) -> Block:
        names = list(class_names(self._training))
        if chances.shape[1] < len(names):
            raise DiagnosticError.of("V001")
        names += [str(number) for number in range(len(names), chances.shape[1])]
        best = chances.max(dim=1).indices.tolist()
        values = _array(chances)
        return [
            OutColumn(PREDICTION, [names[at] for at in best]),
            *(
                OutColumn(f"probability_{name}", values[:, at], "probability")
                for at, name in enumerate(names)
            ),
        ]

    def _labels(self, chances: Tensor) -> Block:
        """Return which of several labels each sample has, and the probability of each."""
        values = _array(chances)
        names = self._value_names(values.shape[1])
        chosen = [
            ", ".join(name for name, chance in zip(names, row, strict=True) if chance >= _HALF)
            for row in values.tolist()
        ]
        return [
            OutColumn(PREDICTION, chosen),
            *(
                OutColumn(f"probability_{name}", values[:, at], "probability")
                for at, name in enumerate(names)
            ),
        ]

    def _numbers(self, predicted: Tensor) -> Block:
        values = _array(predicted)
        names = self._value_names(values.shape[1])
        return [
            OutColumn(_named(PREDICTION, name, len(names)), values[:, at], PREDICTION)
            for at, name in enumerate(names)
        ]

    def _texts(self, batch: Batch, outputs: Outputs, predicted: Tensor, target: Tensor) -> Block:
        """Return texts: of samples of the data what is predicted at each position beside the true
        tokens before it, without what stands for unknown tokens, fills up or ends a text; of others
        what the model writes.
        """
        training, info = self._training, self._target
        if info is None:
            raise DiagnosticError.of("V001")
        if training.comparison.field in batch:
            truths = without_ignored(target.cpu().long(), training.comparison.ignored)
            if info.words and info.unit != "bpe":
                predicted = predicted.clone()
                predicted[:, UNKNOWN] = -torch.inf
            pairs = zip(predicted.argmax(dim=1).cpu(), truths, strict=True)
            return [OutColumn(PREDICTION, [written_text(training, info, *pair) for pair in pairs])]
        texts = list(written_texts(training, batch))
        for row in range(0 if texts else len(predicted)):
            one = slice(row, row + 1)
            own = outputs[one] if isinstance(outputs, Tensor) else tuple(o[one] for o in outputs)
            _, text = continued(training, {name: each[one] for name, each in batch.items()}, own)
            texts.append(text)
        return [OutColumn(PREDICTION, texts)]

    def _unknown(self, batch: Batch, outputs: Outputs) -> Block:
        """Return the first output as it is, where it is compared with nothing of the data."""
        first = outputs if isinstance(outputs, Tensor) else outputs[0]
        size = len(batch[self._training.input_fields[0]])
        if self._training.comparison.field or not first.ndim or len(first) != size:
            raise DiagnosticError.of("V001")
        values = _array(first.detach().reshape(size, -1))
        names = [f"output_{at}" for at in range(values.shape[1])]
        return [
            OutColumn(_named(PREDICTION, name, len(names)), values[:, at], PREDICTION)
            for at, name in enumerate(names)
        ]

    def _value_names(self, width: int) -> tuple[str, ...]:
        info = self._target
        source = self._training.data.source
        names = () if info is None else source.value_names(info.name) or info.entry_names
        return names if len(names) == width else tuple(map(str, range(width)))


def apart(block: Block, truths: Block) -> Block:
    """Return what is right with other names than the columns of a block have."""
    taken = {column.name for column in block}
    return [
        replace(column, name=f"{TRUTH}_{column.name}") if column.name in taken else column
        for column in truths
    ]


def _named(name: str, of: str, count: int) -> str:
    return name if count == 1 else f"{name}_{of}"


def _with_target(training: Training, batch: Batch) -> Batch:
    """Return a batch with a target that is never read where it has none, only its form."""
    name = training.comparison.field
    if not name or name in batch:
        return batch
    size = len(batch[training.input_fields[0]])
    form = training.data.parts["train"].form(name)
    return {**batch, name: form.new_zeros(size, *form.shape[1:], device=training.device)}


def _whose(placements: Sequence[Placement | None]) -> list[str]:
    """Return whose pixels the boxes or the mask of each sample are in."""
    return [_OF_MODEL if each is None else _OF_PICTURE for each in placements]


def _box_rows(boxes: Tensor, is_found: Tensor, placements: Sequence[Placement | None]) -> Tensor:
    """Return the found ones of the boxes of some samples, (found, 4) float32, in pixels of their
    pictures where it is known how these lie.
    """
    rows: list[Tensor] = []
    for each, is_one, placement in zip(boxes, is_found, placements, strict=True):
        rows.append(each[is_one] if placement is None else placement.boxes_back(each[is_one]))
    return torch.cat([row.float() for row in rows])


def _laid_back(
    mask: np.ndarray, placement: Placement | None, canvas: tuple[int, int], outside: int
) -> np.ndarray:
    """Return a mask over a canvas (height, width) as one of its picture, where it is known how that
    lies.
    """
    return mask if placement is None else placement.mask_back(mask, canvas, outside)


def _counts(mask: np.ndarray, classes: int) -> np.ndarray:
    """Return how many pixels are of each class; in pieces, since they are widened to be counted."""
    pieces = np.array_split(mask.ravel(), 1 + mask.size // _COUNTED)
    counts = np.zeros(classes, np.int64)
    for piece in pieces:
        counts += np.bincount(piece, minlength=classes)[:classes]
    return counts


def _numbers_of(shapes: Tensor) -> Tensor:
    """Return which box each pixel is of, counted from 1, 0 for none."""
    return torch.where(shapes == NO_SHAPE, 0, shapes.int() + 1)


def _canvas(training: Training, batch: Batch) -> tuple[int, int]:
    """Return height and width of the pictures of a batch."""
    pictures = (batch[name] for name in training.input_fields)
    return next(
        ((each.shape[2], each.shape[3]) for each in pictures if each.ndim == _IMAGE_AXES), (1, 1)
    )


def _array(values: Tensor) -> np.ndarray:
    """Return numbers as NumPy has them, which knows no bfloat16."""
    is_short = values.is_floating_point() and values.element_size() < 4
    return (values.float() if is_short else values).cpu().numpy()


def require_table(block: Block, output: PredictionFormat) -> None:
    """Raise :class:`DiagnosticError` P060 for predictions that are no numbers, of which there is no
    single array.
    """
    if output == "npy" and not any(column.group in MATRICES for column in block):
        raise DiagnosticError.of("P060")
