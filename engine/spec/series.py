"""Names of the curves of a run, as ``checkpoint.monitor`` refers to them."""

from collections.abc import Iterable

from engine.spec.data import DataInfo
from engine.spec.defaults import auto_metrics
from engine.spec.run import RunSpec

_BINARY_LOSSES = ("BCELoss", "BCEWithLogitsLoss")


def metric_task(spec: RunSpec, info: DataInfo) -> str:
    """Return the task whose metrics fit: that of the first loss term, by its target and its kind,
    or that of the data while there is none.

    A decimal target of a binary loss is measured as binary, a field of classes as classification
    (one of masks as segmentation), everything else as regression.
    """
    if not spec.losses:
        is_mask = any(field.kind == "mask" for field in info.fields if field.role == "target")
        return "segmentation" if is_mask else info.task
    term = spec.losses[0]
    side, _, name = term.inputs.get("target", "").partition(".")
    field = info.field(name) if side == "data" else None
    if field is not None and field.classes:
        return "segmentation" if field.kind == "mask" else "classification"
    return "binary" if term.loss.type in _BINARY_LOSSES else "regression"


def chosen_metrics(names: Iterable[str], task: str) -> tuple[str, ...]:
    """Return the keys that the metrics of a specification stand for, "auto" resolved by the task,
    each once.
    """
    keys: list[str] = []
    for name in names:
        keys.extend(auto_metrics(task) if name == "auto" else (name,))
    return tuple(dict.fromkeys(keys))


def monitored_series(spec: RunSpec, info: DataInfo) -> tuple[str, ...]:
    """Return the series that are known at the end of every epoch: losses and metrics of the
    training part and, where it has samples, of the validation part.
    """
    validation = info.part("validation")
    is_empty = validation is not None and validation.samples == 0
    names = ("loss", *chosen_metrics(spec.metrics, metric_task(spec, info)))
    return tuple(
        f"{part}.{name}"
        for part in ("train", *(() if is_empty else ("validation",)))
        for name in names
    )
