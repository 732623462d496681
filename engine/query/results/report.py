"""Report of a checkpoint on a part of its data, as plain values: shown, saved, never folded."""

import msgspec

from engine.spec.data import FieldInfo, Task


class ClassScore(msgspec.Struct, frozen=True, kw_only=True):
    """How well one class is found: shares from 0 to 1, None where nothing can be divided by;
    ``support`` is the number of its samples.
    """

    name: str
    precision: float | None
    recall: float | None
    f1: float | None
    support: int


class ScoreCurve(msgspec.Struct, frozen=True, kw_only=True):
    """A curve of one class against the rest. ``area`` is the one under a ROC curve, or the average
    precision.
    """

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    area: float


class ResultReport(msgspec.Struct, frozen=True, kw_only=True):
    """Every sample of a part with what was predicted for it.

    ``indices`` are the places in the source, ``losses`` what each sample costs alone. ``targets``
    and ``predictions`` hold ``outputs`` numbers a sample, one after the other: of a classifier the
    number of the class, with ``chances``, the probability that it gave; of a sample with very many
    numbers (``width``), such as a picture, an even choice of them. ``points`` are the inputs where
    a sample is one number, ``fields`` those of the data. The last curve of several classes is
    their mean.
    """

    checkpoint: str
    split: str
    step: int
    task: Task
    fields: tuple[FieldInfo, ...]
    classes: tuple[str, ...] = ()
    outputs: int = 1
    width: int = 1
    indices: tuple[int, ...] = ()
    targets: tuple[float, ...] = ()
    predictions: tuple[float, ...] = ()
    chances: tuple[float, ...] = ()
    losses: tuple[float, ...] = ()
    points: tuple[float, ...] = ()
    matrix: tuple[tuple[int, ...], ...] = ()
    scores: tuple[ClassScore, ...] = ()
    roc: tuple[ScoreCurve, ...] = ()
    precision_recall: tuple[ScoreCurve, ...] = ()
    metrics: dict[str, float] = {}


class ExamineStep(msgspec.Struct, frozen=True, kw_only=True):
    """How far the evaluation of a checkpoint's file is, in samples; the report when it is done."""

    checkpoint: str
    sha256: str
    done: int
    total: int
    report: ResultReport | None = None


class ModelInput(msgspec.Struct, frozen=True, kw_only=True):
    """One field that a model is fed with: the range of its values in the data, before
    normalisation, and the values of one sample, with its ``text`` where it is a sentence.
    """

    info: FieldInfo
    low: float
    high: float
    example: tuple[float, ...]
    text: str = ""


class ModelInputs(msgspec.Struct, frozen=True, kw_only=True):
    """What the model of a run reads and what it answers with; ``classes`` is empty for numbers."""

    step: int
    fields: tuple[ModelInput, ...]
    classes: tuple[str, ...] = ()
    task: Task = "regression"


class Prediction(msgspec.Struct, frozen=True, kw_only=True):
    """What a model says about one sample: a probability for each class, or its numbers; ``step`` is
    that of its weights.
    """

    step: int
    values: tuple[float, ...]
