"""Names of the curves of a run, as ``checkpoint.monitor`` refers to them."""

import math
from collections.abc import Iterable, Mapping

from engine.graph.code import higher_is_better
from engine.spec.choice import NO_CODE, Code
from engine.spec.data import DataInfo, FieldInfo
from engine.spec.defaults import (
    BLEU,
    CLASS_METRICS,
    NUMBER_METRICS,
    TOP_METRICS,
    auto_metrics,
    has_boxes,
)
from engine.spec.judged import Judged, judged_outputs, split_metric
from engine.spec.retrieval import RETRIEVAL_METRICS
from engine.spec.run import RunSpec

LATEST = "latest"
"""What names no curve: the latest checkpoint is the best, as no loss says which one is."""

_MASK_LOSS = "model.loss_mask"  # of a model that finds masks
_BINARY_LOSSES = ("BCELoss", "BCEWithLogitsLoss")
_LONGEST_CLASS = 60
_MOST_NUMBERS = 100  # that have a curve each
_LESS_IS_BETTER = frozenset({"loss", "mae", "mse", "rmse", "mape", "smape", "perplexity"})


def metric_task(spec: RunSpec, info: DataInfo, term: int = 0) -> str:
    """Return the task whose metrics fit: that of a loss term, by its target and its kind, or that
    of the data while there is none.

    A decimal target of a binary loss is measured as binary, a field of classes as classification
    (one of masks as segmentation), everything else as regression. Data with boxes are measured by
    these.
    """
    if has_boxes(info):
        has_masks = any(field.kind == "box_masks" for field in info.fields)
        finds_masks = any(term.inputs.get("input") == _MASK_LOSS for term in spec.losses)
        return "instances" if has_masks and finds_masks else "detection"
    if not spec.losses:
        is_mask = any(field.kind == "mask" for field in info.fields if field.role == "target")
        return "segmentation" if is_mask else info.task
    chosen, field = spec.losses[term], _compared(spec, info, term)
    if field is not None and field.classes:
        return "segmentation" if field.kind == "mask" else "classification"
    return "binary" if chosen.loss.type in _BINARY_LOSSES else "regression"


def metric_classes(spec: RunSpec, info: DataInfo, term: int = 0) -> tuple[str, ...]:
    """Return the classes of what a loss term compares with; none where it has none."""
    field = _compared(spec, info, term)
    return () if field is None else field.classes


def metric_numbers(spec: RunSpec, info: DataInfo, term: int = 0) -> tuple[str, ...]:
    """Return the names of the numbers that a loss term compares with, where these are several."""
    field = _compared(spec, info, term)
    return () if field is None else number_names(info.named(field))


def number_names(field: FieldInfo) -> tuple[str, ...]:
    """Return the names of the numbers of a field, where these are several to predict."""
    is_several = math.prod(field.shape) > 1 and min(field.shape) > 0
    is_number = field.kind in ("vector", "sequence") and field.dtype.startswith("float")
    return field.entry_names if is_several and is_number else ()


def _compared(spec: RunSpec, info: DataInfo, term: int) -> FieldInfo | None:
    """Return the field of the data that a loss term compares with."""
    if not spec.losses:
        return next((field for field in info.fields if field.role == "target"), None)
    side, _, name = spec.losses[term].inputs.get("target", "").partition(".")
    return info.field(name) if side == "data" else None


def chosen_metrics(
    names: Iterable[str], task: str, classes: int = 0, numbers: int = 0
) -> tuple[str, ...]:
    """Return the keys that the metrics of a specification stand for, "auto" resolved by the task
    and how many classes or numbers there are, each once.
    """
    keys: list[str] = []
    for name in names:
        keys.extend(auto_metrics(task, classes, numbers) if name == "auto" else (name,))
    return tuple(dict.fromkeys(keys))


def class_series(metric: str, name: str) -> str:
    """Return the measure of one class or number by a metric of each, as ``iou.cat``."""
    return f"{(CLASS_METRICS | NUMBER_METRICS)[metric]}.{name[:_LONGEST_CLASS]}"


def measured_class(measure: str) -> str:
    """Return the class or number that a measure is of, empty for those of all together."""
    kind, _, name = split_metric(measure)[1].partition(".")
    return name if kind in {*CLASS_METRICS.values(), *NUMBER_METRICS.values()} else ""


def fits_classes(metric: str, classes: int) -> bool:
    """Return whether a metric can be wrong with so many classes (0: none, or not known)."""
    return not 0 < classes <= TOP_METRICS.get(metric, 0)


def fits_numbers(metric: str, numbers: int) -> bool:
    """Return whether a metric makes sense for so many numbers: one of each wants several."""
    return metric not in NUMBER_METRICS or 1 < numbers <= _MOST_NUMBERS


def fits_texts(metric: str, info: DataInfo) -> bool:
    """Return whether data have what a metric of texts needs: a text that a model writes itself."""
    return metric != BLEU or any(field.start is not None for field in info.fields)


def is_custom_metric(name: str) -> bool:
    """Return whether a metric is of the user's code: it is called ``FILE.NAME``."""
    return "." in split_metric(name)[1]


def number_series(metric: str, name: str) -> str:
    """Return one of several numbers of a metric of the user's code, as ``scores.Hits.left``."""
    return f"{metric}.{name[:_LONGEST_CLASS]}"


def custom_metric_of(measure: str) -> str:
    """Return the metric ``FILE.NAME`` of the user's code that a measure is of, with the output that
    it names.
    """
    bare = split_metric(measure)[1]
    return measure.removesuffix(bare) + ".".join(bare.split(".")[:2])


def best_mode(series: str, code: Code = NO_CODE) -> str:
    """Return whether the smallest (``min``) or the largest value (``max``) of a series is best; a
    metric of the user's code says it itself (``higher_is_better``).
    """
    name = split_metric(series.partition(".")[2])[1]
    kind = name.partition(".")[0] if measured_class(name) else name
    is_less = kind in _LESS_IS_BETTER or higher_is_better(code, custom_metric_of(name)) is False
    return "min" if is_less else "max"


def monitored_value(monitor: str, metrics: Mapping[str, float]) -> float | None:
    """Return the value that best checkpoints and schedules go by: the training loss where the
    series is not there, and none where the latest checkpoint is the best.
    """
    return None if monitor == LATEST else metrics.get(monitor, metrics.get("train.loss"))


def measured_outputs(spec: RunSpec, info: DataInfo, code: Code = NO_CODE) -> tuple[Judged, ...]:
    """Return the outputs that metrics judge; where boxes are found, these alone."""
    found = judged_outputs(spec, code)
    return found[:1] if has_boxes(info) else found


def monitored_series(spec: RunSpec, info: DataInfo, code: Code = NO_CODE) -> tuple[str, ...]:
    """Return the series that are known at the end of every epoch: losses and metrics of the
    training part and, where it has samples, of the validation part. Boxes are found and texts are
    written in the latter alone: in a step of training that would take a tenth of its time or more;
    a model that stays the same ranks the samples of a query there.
    """
    validation = info.part("validation")
    is_empty = validation is not None and validation.samples == 0
    names = ["loss"]
    for judged in measured_outputs(spec, info, code):
        names += [judged.series(name) for name in _measures(spec, info, judged)]
    return tuple(
        f"{part}.{name}"
        for part in ("train", *(() if is_empty else ("validation",)))
        for name in (names[:1] if part == "train" and has_boxes(info) else names)
        if part != "train" or split_metric(name)[1] not in (BLEU, *RETRIEVAL_METRICS)
    )


def _measures(spec: RunSpec, info: DataInfo, judged: Judged) -> list[str]:
    """Return what the metrics of an output tell, those of each class or number one by one."""
    classes = metric_classes(spec, info, judged.term)
    numbers = metric_numbers(spec, info, judged.term)
    task, chosen = metric_task(spec, info, judged.term), judged.chosen_of(spec.metrics)
    found: list[str] = []
    for name in chosen_metrics(chosen, task, len(classes), len(numbers)):
        each = classes if name in CLASS_METRICS else numbers
        is_of_each = name in CLASS_METRICS or name in NUMBER_METRICS
        found += [class_series(name, one) for one in each] if is_of_each else [name]
    return found
